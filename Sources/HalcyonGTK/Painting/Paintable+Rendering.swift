internal import CGTK

extension Paintable {
    /// Draws into a rectangle of `width` by `height` points whose corner is the origin, as the rendering says.
    ///
    /// - Parameter widget: The one whose colour and direction count, at the moment of drawing; `nil` for none.
    func draw(into snapshot: OpaquePointer, width: Double, height: Double, for widget: UnsafeMutableRawPointer?) {
        let isMirrored =
            rendering.mirrorsInRightToLeft
            && widget.map { gtk_widget_get_direction($0.widget) == GTK_TEXT_DIR_RTL } ?? false
        if rendering.isSymbolic { Self.pushColor(of: widget, onto: snapshot) }
        if isMirrored {
            gtk_snapshot_save(snapshot)
            var corner = graphene_point_t(x: Float(width), y: 0)
            gtk_snapshot_translate(snapshot, &corner)
            gtk_snapshot_scale(snapshot, -1, 1)
        }
        drawInPlace(into: snapshot, width: width, height: height)
        if isMirrored { gtk_snapshot_restore(snapshot) }
        if rendering.isSymbolic { gtk_snapshot_pop(snapshot) }
    }

    /// Draws into a place of that size, which it may have to cover.
    private func drawInPlace(into snapshot: OpaquePointer, width: Double, height: Double) {
        guard coversPlace, self.width > 0, self.height > 0 else {
            return draw(into: snapshot, width: width, height: height)
        }
        let factor = max(width / self.width, height / self.height)
        let (across, down) = (self.width * factor, self.height * factor)
        var bounds = graphene_rect_t()
        graphene_rect_init(&bounds, 0, 0, Float(width), Float(height))
        gtk_snapshot_push_clip(snapshot, &bounds)
        gtk_snapshot_save(snapshot)
        var corner = graphene_point_t(x: Float((width - across) / 2), y: Float((height - down) / 2))
        gtk_snapshot_translate(snapshot, &corner)
        draw(into: snapshot, width: across, height: down)
        gtk_snapshot_restore(snapshot)
        gtk_snapshot_pop(snapshot)
    }

    /// Replaces all colours by that of the widget's text; the alpha of each pixel is kept, times that of the colour.
    private static func pushColor(of widget: UnsafeMutableRawPointer?, onto snapshot: OpaquePointer) {
        let color = widget.map { cgtk_text_color($0) } ?? GdkRGBA(red: 0, green: 0, blue: 0, alpha: 1)
        var matrix = graphene_matrix_t()
        var offset = graphene_vec4_t()
        // GSK applies it to colours that are not premultiplied, and premultiplies the result.
        let rows: [Float] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, color.alpha]
        graphene_matrix_init_from_float(&matrix, rows)
        graphene_vec4_init(&offset, color.red, color.green, color.blue, 0)
        gtk_snapshot_push_color_matrix(snapshot, &matrix, &offset)
    }
}
