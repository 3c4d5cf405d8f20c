#if GTK
import CGTK
import HalcyonGTK
import XCTest

/// A widget with the interface of an `AdwAvatar`: it draws the paintable of its property `custom-image`.
@MainActor
final class TestAvatar {
    let pointer: UnsafeMutableRawPointer

    init() throws {
        pointer = try UnsafeMutableRawPointer(XCTUnwrap(g_object_new_with_properties(Self.type, 0, nil, nil)))
    }

    /// The value of the property, which the widget keeps.
    var customImage: UnsafeMutableRawPointer? { cgtk_object_property(pointer, "custom-image", nil) }

    private static let key = g_quark_from_static_string("test-custom-image")

    private static let type: GType = {
        var parent = GTypeQuery()
        g_type_query(gtk_widget_get_type(), &parent)
        var description = GTypeInfo()
        description.class_size = guint16(parent.class_size)
        description.instance_size = guint16(parent.instance_size)
        description.class_init = { widgetClass, _ in
            guard let widgetClass else { return }
            widgetClass.assumingMemoryBound(to: GtkWidgetClass.self).pointee.snapshot = { widget, snapshot in
                nonisolated(unsafe) let (widget, snapshot) = (widget, snapshot)
                MainActor.assumeIsolated { TestAvatar.draw(widget, into: snapshot) }
            }
            let table = widgetClass.assumingMemoryBound(to: GObjectClass.self)
            table.pointee.set_property = { object, _, value, _ in
                nonisolated(unsafe) let (object, value) = (object, value)
                MainActor.assumeIsolated {
                    g_object_set_qdata_full(object, TestAvatar.key, g_value_dup_object(value), g_object_unref)
                }
            }
            table.pointee.get_property = { object, _, value, _ in
                nonisolated(unsafe) let (object, value) = (object, value)
                MainActor.assumeIsolated { g_value_set_object(value, g_object_get_qdata(object, TestAvatar.key)) }
            }
            let flags = GParamFlags(rawValue: G_PARAM_READABLE.rawValue | G_PARAM_WRITABLE.rawValue)
            let property = g_param_spec_object("custom-image", nil, nil, gdk_paintable_get_type(), flags)
            g_object_class_install_property(table, 1, property)
        }
        return g_type_register_static(
            gtk_widget_get_type(),
            "HalcyonTestAvatar",
            &description,
            GTypeFlags(rawValue: 0)
        )
    }()

    private static func draw(_ widget: UnsafeMutablePointer<GtkWidget>?, into snapshot: OpaquePointer?) {
        guard let widget else { return }
        let object = UnsafeMutableRawPointer(widget).assumingMemoryBound(to: GObject.self)
        guard let paintable = g_object_get_qdata(object, key) else { return }
        let (width, height) = (gtk_widget_get_width(widget), gtk_widget_get_height(widget))
        gdk_paintable_snapshot(OpaquePointer(paintable), snapshot, Double(width), Double(height))
    }
}

extension TestAvatar: ImageDisplaying { var displayPointer: UnsafeMutableRawPointer { pointer } }
#endif
