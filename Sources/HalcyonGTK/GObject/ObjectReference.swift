#if GTK
internal import CGTK

/// A reference to a GObject that is counted.
///
/// Unchecked: the count is atomic, and the pointer never changes. What the object itself allows on other threads is
/// its own matter.
package final class ObjectReference: @unchecked Sendable {
    package let pointer: UnsafeMutableRawPointer

    /// Takes over a reference of the caller.
    package init(adopting pointer: UnsafeMutableRawPointer) {
        self.pointer = pointer
    }

    /// Adds a reference.
    package init(retaining pointer: UnsafeMutableRawPointer) {
        self.pointer = g_object_ref(pointer)
    }

    deinit {
        g_object_unref(pointer)
    }

    /// The object as C types that Swift knows no structure of have it.
    package var opaque: OpaquePointer { OpaquePointer(pointer) }
}
#endif
