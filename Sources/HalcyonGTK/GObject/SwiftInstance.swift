internal import CGTK

/// Types of GObject whose instances each own a Swift object, which ends with its instance.
enum SwiftInstance {
    /// The structure of an instance, which begins with that of its parent.
    private struct Layout {
        var parent: GObject
        var owned: UnsafeMutableRawPointer?
    }

    /// Registers a type.
    ///
    /// - Parameter name: A name that no other type of the process has.
    static func register(_ name: String) -> GType {
        var description = GTypeInfo()
        description.class_size = guint16(MemoryLayout<GObjectClass>.size)
        description.instance_size = guint16(MemoryLayout<Layout>.size)
        description.class_init = { objectClass, _ in
            nonnull(objectClass).assumingMemoryBound(to: GObjectClass.self).pointee.finalize = { object in
                let layout = UnsafeMutableRawPointer(nonnull(object)).assumingMemoryBound(to: Layout.self)
                if let owned = layout.pointee.owned { Unmanaged<AnyObject>.fromOpaque(owned).release() }
                cgtk_finalize_object(object)
            }
        }
        return g_type_register_static(cgtk_object_type(), name, &description, GTypeFlags(rawValue: 0))
    }

    /// Returns a new instance, which the caller owns.
    static func make(_ type: GType, owning owned: AnyObject) -> UnsafeMutableRawPointer {
        let object = UnsafeMutableRawPointer(nonnull(g_object_new_with_properties(type, 0, nil, nil)))
        object.assumingMemoryBound(to: Layout.self).pointee.owned = Unmanaged.passRetained(owned).toOpaque()
        return object
    }

    /// Returns the Swift object of an instance.
    ///
    /// - Parameter object: An instance of a registered type; nothing checks that, nor the type of its Swift object.
    static func owned<Owned: AnyObject>(by object: UnsafeMutableRawPointer, as type: Owned.Type) -> Owned {
        let layout = object.assumingMemoryBound(to: Layout.self)
        return Unmanaged<Owned>.fromOpaque(nonnull(layout.pointee.owned)).takeUnretainedValue()
    }
}
