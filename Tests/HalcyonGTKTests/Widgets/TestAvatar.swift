import CGTK
import HalcyonGTK
import XCTest

/// A widget with the interface of an `AdwAvatar`, and its two rules: without a value of its property `custom-image` it
/// draws initials, here yellow; and it asks a paintable for its size once, when it gets it. Of one that is no square then, it
/// goes on drawing the part in the middle of what that showed.
@MainActor
final class TestAvatar {
    let pointer: UnsafeMutableRawPointer

    init() throws {
        pointer = try UnsafeMutableRawPointer(XCTUnwrap(g_object_new_with_properties(Self.type, 0, nil, nil)))
    }

    /// The value of the property, which the widget keeps.
    var customImage: UnsafeMutableRawPointer? { cgtk_object_property(pointer, "custom-image", nil) }

    private static let key = g_quark_from_static_string("test-custom-image")
    private static let drawnKey = g_quark_from_static_string("test-drawn-image")

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
                    guard let object else { return }
                    let image = g_value_get_object(value)
                    guard image != g_object_get_qdata(object, TestAvatar.key) else { return }
                    g_object_set_qdata_full(object, TestAvatar.key, g_value_dup_object(value), g_object_unref)
                    let drawn = image.map { TestAvatar.square(OpaquePointer($0)) }
                    let raw = drawn.map { UnsafeMutableRawPointer($0) }
                    g_object_set_qdata_full(object, TestAvatar.drawnKey, raw, g_object_unref)
                    gtk_widget_queue_draw(UnsafeMutableRawPointer(object).assumingMemoryBound(to: GtkWidget.self))
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

    /// Returns a new reference to a paintable that is a square, or to one of its middle as it is now.
    private static func square(_ paintable: OpaquePointer) -> OpaquePointer {
        let width = gdk_paintable_get_intrinsic_width(paintable)
        let height = gdk_paintable_get_intrinsic_height(paintable)
        if width == height { return OpaquePointer(g_object_ref(UnsafeMutableRawPointer(paintable))) }
        let side = min(width, height)
        let snapshot = gtk_snapshot_new()
        var corner = graphene_point_t(x: Float(side - width) / 2, y: Float(side - height) / 2)
        gtk_snapshot_translate(snapshot, &corner)
        gdk_paintable_snapshot(paintable, snapshot, Double(width), Double(height))
        var size = graphene_size_t(width: Float(side), height: Float(side))
        return gtk_snapshot_free_to_paintable(snapshot, &size) ?? gdk_paintable_new_empty(0, 0)
    }

    private static func draw(_ widget: UnsafeMutablePointer<GtkWidget>?, into snapshot: OpaquePointer?) {
        guard let widget else { return }
        let object = UnsafeMutableRawPointer(widget).assumingMemoryBound(to: GObject.self)
        let (width, height) = (Double(gtk_widget_get_width(widget)), Double(gtk_widget_get_height(widget)))
        guard let drawn = g_object_get_qdata(object, drawnKey).map({ OpaquePointer($0) }) else {
            var yellow = GdkRGBA(red: 1, green: 1, blue: 0, alpha: 1)
            var bounds = graphene_rect_t()
            graphene_rect_init(&bounds, 0, 0, Float(width), Float(height))
            return gtk_snapshot_append_color(snapshot, &yellow, &bounds)
        }
        // As a GtkImage does.
        let ratio = gdk_paintable_get_intrinsic_aspect_ratio(drawn)
        let across = ratio > 0 ? min(width, height * ratio) : width
        let down = ratio > 0 ? min(height, width / ratio) : height
        var corner = graphene_point_t(x: Float(width - across) / 2, y: Float(height - down) / 2)
        gtk_snapshot_save(snapshot)
        gtk_snapshot_translate(snapshot, &corner)
        gdk_paintable_snapshot(drawn, snapshot, across, down)
        gtk_snapshot_restore(snapshot)
    }
}

extension TestAvatar: ImageDisplaying { var displayPointer: UnsafeMutableRawPointer { pointer } }
