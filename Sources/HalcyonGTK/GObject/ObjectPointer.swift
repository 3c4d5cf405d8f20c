package import CGTK

// The three forms in which Swift imports pointers to objects of C, and the ways between them. Nothing checks the type of
// an object.

extension UnsafeMutableRawPointer {
    package var object: UnsafeMutablePointer<GObject> { assumingMemoryBound(to: GObject.self) }
    package var widget: UnsafeMutablePointer<GtkWidget> { assumingMemoryBound(to: GtkWidget.self) }
    package var opaque: OpaquePointer { OpaquePointer(self) }

    /// Returns whether the object is of a type, or of one derived from it.
    func isInstance(of type: GType) -> Bool { cgtk_is_a(self, type) != 0 }
}

extension UnsafeMutablePointer {
    /// The object as C types that Swift knows no structure of have it.
    package var opaque: OpaquePointer { OpaquePointer(self) }
    package var raw: UnsafeMutableRawPointer { UnsafeMutableRawPointer(self) }

    /// The object as one of another type of its class chain.
    package func cast<Other>(to type: Other.Type = Other.self) -> UnsafeMutablePointer<Other> {
        UnsafeMutableRawPointer(self).assumingMemoryBound(to: type)
    }
}

extension OpaquePointer {
    package var raw: UnsafeMutableRawPointer { UnsafeMutableRawPointer(self) }
    package var widget: UnsafeMutablePointer<GtkWidget> { raw.widget }
}
