internal import CGTK
internal import Halcyon

/// An indicator that is shown in one slot.
@MainActor
struct IndicatorPass {
    let indicator: LoadIndicator
    /// The colour of lines: red, green, blue and alpha from 0 to 1.
    var color = SIMD4<Float>(0.5, 0.5, 0.5, 0.9)
    /// The time since it began.
    var time = Duration.zero
    var progress = ImageProgress()
    /// The present frame of ``LoadIndicator/image(_:)``.
    var image: Paintable?

    /// `nil` if there is nothing to be drawn.
    init?(_ indicator: LoadIndicator) {
        if indicator == .none { return nil }
        self.indicator = indicator
        if case .image(let image) = indicator.kind { self.image = Paintable(image.image) }
    }

    /// A Boolean value that indicates whether it looks different from one moment to the next by itself.
    var isMoving: Bool {
        switch indicator.kind {
        case .none, .image: false
        case .spinner, .custom: true
        case .progressRing: progress.fraction == nil
        }
    }

    /// A Boolean value that indicates whether it looks different with the progress.
    var showsProgress: Bool {
        switch indicator.kind {
        case .none, .image, .spinner: false
        case .progressRing, .custom: true
        }
    }

    /// Shows the next frame of the image, at the same size.
    mutating func showFrame(_ texture: ObjectReference) {
        guard let image else { return }
        self.image = Paintable(texture, width: image.width, height: image.height)
    }

    /// Draws this moment into a rectangle of `width` by `height` points whose corner is the origin.
    func draw(into snapshot: OpaquePointer, width: Double, height: Double) {
        switch indicator.kind {
        case .none: break
        case .spinner: drawArc(into: snapshot, width, height, from: phase, length: 0.75)
        case .progressRing:
            if let fraction = progress.fraction {
                drawArc(into: snapshot, width, height, from: 0.75, length: max(0.02, fraction))
            } else {
                drawArc(into: snapshot, width, height, from: phase, length: 0.25)
            }
        case .image:
            guard let image else { break }
            let factor = min(1, width / max(1, image.width), height / max(1, image.height))
            let size = (width: image.width * factor, height: image.height * factor)
            gtk_snapshot_save(snapshot)
            var origin = graphene_point_t(x: Float((width - size.width) / 2), y: Float((height - size.height) / 2))
            gtk_snapshot_translate(snapshot, &origin)
            image.draw(into: snapshot, width: size.width, height: size.height)
            gtk_snapshot_restore(snapshot)
        case .custom(let custom):
            let inner = nonnull(gtk_snapshot_new())
            custom.draw(
                IndicatorFrame(
                    time: time,
                    progress: progress,
                    width: width,
                    height: height,
                    snapshot: UnsafeMutableRawPointer(inner)
                )
            )
            guard let node = gtk_snapshot_free_to_node(inner) else { break }
            gtk_snapshot_append_node(snapshot, node)
            gsk_render_node_unref(node)
        }
    }

    /// The turn of the spinner, from 0 to 1: one a second.
    private var phase: Double { (time / .seconds(1)).truncatingRemainder(dividingBy: 1) }

    /// Draws an arc in the middle; angles in turns, clockwise from the right.
    private func drawArc(
        into snapshot: OpaquePointer,
        _ width: Double,
        _ height: Double,
        from start: Double,
        length: Double
    ) {
        let diameter = min(min(width, height) * 0.4, 32)
        guard diameter > 2 else { return }
        var bounds = graphene_rect_t()
        graphene_rect_init(
            &bounds,
            Float((width - diameter) / 2),
            Float((height - diameter) / 2),
            Float(diameter),
            Float(diameter)
        )
        let context = gtk_snapshot_append_cairo(snapshot, &bounds)
        defer { cairo_destroy(context) }
        cairo_set_source_rgba(context, Double(color.x), Double(color.y), Double(color.z), Double(color.w))
        let line = max(2, diameter / 8)
        cairo_set_line_width(context, line)
        cairo_set_line_cap(context, CAIRO_LINE_CAP_ROUND)
        let begin = start * 2 * .pi
        cairo_arc(context, width / 2, height / 2, (diameter - line) / 2, begin, begin + length * 2 * .pi)
        cairo_stroke(context)
    }
}
