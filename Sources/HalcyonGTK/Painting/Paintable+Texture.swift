internal import CGTK

extension Paintable {
    /// Returns the texture of an image; of any other paintable, or one with a longer side than `limit` pixels, a drawing
    /// that keeps the ratio of its sides. `nil` if there is nothing to be drawn.
    func texture(limit: Int) -> ObjectReference? {
        if pointer.isInstance(of: gdk_texture_get_type()),
            max(gdk_texture_get_width(pointer.opaque), gdk_texture_get_height(pointer.opaque)) <= limit
        {
            return reference
        }
        // A paintable without a size of its own fills what it is given.
        let size = (width: width > 0 ? width : Double(limit), height: height > 0 ? height : Double(limit))
        let factor = min(1, Double(limit) / max(size.width, size.height))
        return drawing(
            width: max(1, Int((size.width * factor).rounded())),
            height: max(1, Int((size.height * factor).rounded()))
        )
    }

    /// Draws in software: a texture of that many pixels.
    private func drawing(width: Int, height: Int) -> ObjectReference? {
        guard let snapshot = gtk_snapshot_new() else { return nil }
        draw(into: snapshot, width: Double(width), height: Double(height))
        guard let node = gtk_snapshot_free_to_node(snapshot) else { return nil }
        defer { gsk_render_node_unref(node) }
        guard let surface = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, Int32(width), Int32(height)) else {
            return nil
        }
        defer { cairo_surface_destroy(surface) }
        let context = cairo_create(surface)
        gsk_render_node_draw(node, context)
        cairo_destroy(context)
        cairo_surface_flush(surface)
        // Empty where there was no memory for it.
        guard let pixels = cairo_image_surface_get_data(surface) else { return nil }
        let bytesPerRow = Int(cairo_image_surface_get_stride(surface))
        let bytes = g_bytes_new(pixels, gsize(bytesPerRow * height))
        defer { g_bytes_unref(bytes) }
        // Cairo's pixels are numbers of 32 bits in the order of the processor.
        let format = 1.littleEndian == 1 ? GDK_MEMORY_B8G8R8A8_PREMULTIPLIED : GDK_MEMORY_A8R8G8B8_PREMULTIPLIED
        return gdk_memory_texture_new(Int32(width), Int32(height), format, bytes, gsize(bytesPerRow)).map {
            ObjectReference(adopting: UnsafeMutableRawPointer($0))
        }
    }
}
