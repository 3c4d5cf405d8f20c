#if GTK
internal import CGTK

/// The way in which a slot draws what it shows, whatever that is.
@MainActor
struct PaintableAppearance: Equatable {
    /// A Boolean value that indicates whether left and right are exchanged.
    var isMirrored = false
    /// The colour that replaces all others, with the alpha of each pixel kept: red, green, blue and alpha from 0 to 1;
    /// `nil` to draw the image's own colours.
    var tint: SIMD4<Float>?

    /// Lets `body` draw into a rectangle of `width` by `height` points whose corner is the origin.
    func draw(into snapshot: OpaquePointer, width: Double, height: Double, _ body: () -> Void) {
        if let tint {
            var matrix = graphene_matrix_t()
            var offset = graphene_vec4_t()
            // Colours are premultiplied only after this: those of the tint, and the alpha of the pixel.
            let rows: [Float] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, tint.w]
            graphene_matrix_init_from_float(&matrix, rows)
            graphene_vec4_init(&offset, tint.x, tint.y, tint.z, 0)
            gtk_snapshot_push_color_matrix(snapshot, &matrix, &offset)
        }
        gtk_snapshot_save(snapshot)
        if isMirrored {
            var origin = graphene_point_t(x: Float(width), y: 0)
            gtk_snapshot_translate(snapshot, &origin)
            gtk_snapshot_scale(snapshot, -1, 1)
        }
        body()
        gtk_snapshot_restore(snapshot)
        if tint != nil { gtk_snapshot_pop(snapshot) }
    }
}
#endif
