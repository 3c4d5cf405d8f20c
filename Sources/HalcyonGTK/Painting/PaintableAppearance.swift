#if GTK
internal import CGTK

/// The way in which a slot draws its images in a widget: the colours and the direction of that, at the moment of
/// drawing.
@MainActor
struct PaintableAppearance {
    /// Default: the image's own colours, never mirrored.
    var rendering = ImageRendering()
    /// The widget whose colour and direction count. Not retained; the slot takes it away before the widget ends.
    var widget: UnsafeMutableRawPointer?

    /// Lets `body` draw into a rectangle of `width` by `height` points whose corner is the origin.
    func draw(into snapshot: OpaquePointer, width: Double, height: Double, _ body: () -> Void) {
        let isMirrored = isMirrored
        if rendering.isSymbolic { pushColor(onto: snapshot) }
        if isMirrored {
            gtk_snapshot_save(snapshot)
            var corner = graphene_point_t(x: Float(width), y: 0)
            gtk_snapshot_translate(snapshot, &corner)
            gtk_snapshot_scale(snapshot, -1, 1)
        }
        body()
        if isMirrored { gtk_snapshot_restore(snapshot) }
        if rendering.isSymbolic { gtk_snapshot_pop(snapshot) }
    }

    private var isMirrored: Bool {
        guard rendering.mirrorsInRightToLeft, let widget else { return false }
        return gtk_widget_get_direction(widget.widget) == GTK_TEXT_DIR_RTL
    }

    /// Replaces all colours by that of the widget's text; the alpha of each pixel is kept, times that of the colour.
    private func pushColor(onto snapshot: OpaquePointer) {
        var color = GdkRGBA(red: 0, green: 0, blue: 0, alpha: 1)
        if let widget { cgtk_widget_color(widget, &color) }
        var matrix = graphene_matrix_t()
        var offset = graphene_vec4_t()
        // GSK applies it to colours that are not premultiplied, and premultiplies the result.
        let rows: [Float] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, color.alpha]
        graphene_matrix_init_from_float(&matrix, rows)
        graphene_vec4_init(&offset, color.red, color.green, color.blue, 0)
        gtk_snapshot_push_color_matrix(snapshot, &matrix, &offset)
    }
}
#endif
