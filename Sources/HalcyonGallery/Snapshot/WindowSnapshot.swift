internal import CGTK
internal import HalcyonGTK

/// Images of widgets as they are on the screen.
@MainActor
enum WindowSnapshot {
    /// Returns a texture with the pixels of a widget; `nil` where it has not been drawn.
    ///
    /// - Parameter widget: A widget that is shown; its frame clock has painted since it last changed.
    static func texture(of widget: Widget) -> OpaquePointer? {
        guard let paintable = gtk_widget_paintable_new(widget) else { return nil }
        defer { g_object_unref(paintable.raw) }
        // Those of the window with the shadow that it may draw.
        let width = Double(gdk_paintable_get_intrinsic_width(paintable))
        let height = Double(gdk_paintable_get_intrinsic_height(paintable))
        guard width > 0, height > 0 else { return nil }
        let scale = Float(gtk_widget_get_scale_factor(widget))
        let snapshot = nonnull(gtk_snapshot_new())
        gtk_snapshot_scale(snapshot, scale, scale)
        gdk_paintable_snapshot(paintable, snapshot, width, height)
        guard let node = gtk_snapshot_free_to_node(snapshot) else { return nil }
        defer { gsk_render_node_unref(node) }
        guard let native = gtk_widget_get_native(widget), let renderer = gtk_native_get_renderer(native) else {
            return nil
        }
        var bounds = graphene_rect_t()
        graphene_rect_init(&bounds, 0, 0, Float(width) * scale, Float(height) * scale)
        return gsk_renderer_render_texture(renderer, node, &bounds)
    }

    /// Writes the pixels of a widget as PNG.
    ///
    /// - Returns: Whether that was possible.
    static func write(_ widget: Widget, to path: String) -> Bool {
        guard let texture = texture(of: widget) else { return false }
        defer { g_object_unref(texture.raw) }
        return gdk_texture_save_to_png(texture, path) != 0
    }
}
