#if GTK
internal import CGTK

/// A counted reference to a GObject that no widget owns.
final class OwnedObject {
    let pointer: OpaquePointer

    /// Takes over a reference of the caller.
    init(adopting pointer: OpaquePointer) {
        self.pointer = pointer
    }

    deinit {
        g_object_unref(pointer.raw)
    }
}
#endif
