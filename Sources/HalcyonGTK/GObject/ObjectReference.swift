internal import CGTK
internal import Glibc

/// A reference to a GObject that is counted.
///
/// Unchecked: the count is atomic, and the pointer never changes. The reference is given up on the thread of GTK, as what
/// then ends may be used there alone.
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
        if getpid() == cgtk_thread_id() { return g_object_unref(pointer) }
        nonisolated(unsafe) let pointer = pointer
        Task { @MainActor in g_object_unref(pointer) }
    }

    /// The object as C types that Swift knows no structure of have it.
    package var opaque: OpaquePointer { OpaquePointer(pointer) }
}
