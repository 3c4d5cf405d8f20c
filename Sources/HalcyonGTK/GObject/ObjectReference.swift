#if GTK
internal import CGTK
internal import Glibc

/// A reference to a GObject that is counted.
///
/// Unchecked: the count is atomic, and the pointer never changes. The reference is given up on the thread of GTK, as what
/// then ends may be used there alone.
final class ObjectReference: @unchecked Sendable {
    let pointer: UnsafeMutableRawPointer

    /// Takes over a reference of the caller.
    init(adopting pointer: UnsafeMutableRawPointer) {
        self.pointer = pointer
    }

    /// Adds a reference.
    init(retaining pointer: UnsafeMutableRawPointer) {
        self.pointer = g_object_ref(pointer)
    }

    deinit {
        if getpid() == cgtk_thread_id() { return g_object_unref(pointer) }
        nonisolated(unsafe) let pointer = pointer
        Task { @MainActor in g_object_unref(pointer) }
    }

    /// The object as C types that Swift knows no structure of have it.
    var opaque: OpaquePointer { OpaquePointer(pointer) }
}

extension UnsafeMutableRawPointer {
    var object: UnsafeMutablePointer<GObject> { assumingMemoryBound(to: GObject.self) }
    var widget: UnsafeMutablePointer<GtkWidget> { assumingMemoryBound(to: GtkWidget.self) }
    var opaque: OpaquePointer { OpaquePointer(self) }

    /// Returns whether the object is of a type, or of one derived from it.
    func isInstance(of type: GType) -> Bool { cgtk_is_a(self, type) != 0 }
}

extension Bool {
    /// GLib's form.
    var gboolean: CGTK.gboolean { self ? 1 : 0 }
}
#endif
