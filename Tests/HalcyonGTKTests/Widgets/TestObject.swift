import CGTK
import XCTest

/// Objects of a type of the tests: no widgets, with a property that takes paintables and one that takes textures.
@MainActor
enum TestObject {
    private static let keys = [
        g_quark_from_static_string("test-nothing"), g_quark_from_static_string("test-paintable"),
        g_quark_from_static_string("test-texture"),
    ]

    private static let type: GType = {
        var description = GTypeInfo()
        description.class_size = guint16(MemoryLayout<GObjectClass>.size)
        description.instance_size = guint16(MemoryLayout<GObject>.size)
        description.class_init = { objectClass, _ in
            guard let table = objectClass?.assumingMemoryBound(to: GObjectClass.self) else { return }
            table.pointee.set_property = { object, id, value, _ in
                nonisolated(unsafe) let (object, value) = (object, value)
                MainActor.assumeIsolated {
                    g_object_set_qdata_full(object, TestObject.keys[Int(id)], g_value_dup_object(value), g_object_unref)
                }
            }
            table.pointee.get_property = { object, id, value, _ in
                nonisolated(unsafe) let (object, value) = (object, value)
                MainActor.assumeIsolated {
                    g_value_set_object(value, g_object_get_qdata(object, TestObject.keys[Int(id)]))
                }
            }
            let flags = GParamFlags(rawValue: G_PARAM_READABLE.rawValue | G_PARAM_WRITABLE.rawValue)
            let properties: [(String, GType)] = [
                ("paintable", gdk_paintable_get_type()), ("texture", gdk_texture_get_type()),
            ]
            for (index, property) in properties.enumerated() {
                let specification = g_param_spec_object(property.0, nil, nil, property.1, flags)
                g_object_class_install_property(table, guint(index + 1), specification)
            }
        }
        return g_type_register_static(cgtk_object_type(), "HalcyonTestObject", &description, GTypeFlags(rawValue: 0))
    }()

    /// Returns a new object, which the caller owns.
    static func make() throws -> UnsafeMutableRawPointer {
        try UnsafeMutableRawPointer(XCTUnwrap(g_object_new_with_properties(type, 0, nil, nil)))
    }

    /// The value of a property, which the object keeps.
    static func value(of object: UnsafeMutableRawPointer, _ name: String) -> UnsafeMutableRawPointer? {
        cgtk_object_property(object, name, nil)
    }
}
