internal import CGTK

/// A transition under way in one slot.
@MainActor
struct TransitionPass {
    let transition: ImageTransition
    /// What was shown before.
    let previous: Paintable?
    /// From 0 to 1.
    var progress = 0.0

    /// The place in the widget, at the moment of drawing.
    private let place: @MainActor () -> PaintingPlace

    init(
        _ transition: ImageTransition,
        from previous: Paintable?,
        in place: @escaping @MainActor () -> PaintingPlace
    ) {
        self.transition = transition
        self.previous = previous
        self.place = place
    }

    /// Draws this moment into a rectangle of `width` by `height` points whose corner is the origin: that in which the
    /// widget draws `next`.
    ///
    /// - Parameter widget: The one whose colour and direction count; `nil` for none.
    func draw(
        _ next: Paintable?,
        into snapshot: OpaquePointer,
        width: Double,
        height: Double,
        for widget: UnsafeMutableRawPointer?
    ) {
        let layers = Layers(
            previous: previous,
            next: next,
            width: width,
            height: height,
            place: place(),
            widget: widget
        )
        switch transition.kind {
        case .none:
            layers.drawNext(into: snapshot)
        case .fade:
            gtk_snapshot_push_cross_fade(snapshot, progress)
            layers.drawPrevious(into: snapshot)
            gtk_snapshot_pop(snapshot)
            layers.drawNext(into: snapshot)
            gtk_snapshot_pop(snapshot)
        case .flip(let edge):
            drawFlip(from: edge, layers, into: snapshot)
        case .custom(let custom):
            // What it leaves pushed or saved would spoil the rest of the window.
            let inner = nonnull(gtk_snapshot_new())
            custom.draw(TransitionFrame(progress: progress, snapshot: UnsafeMutableRawPointer(inner), layers: layers))
            guard let node = gtk_snapshot_free_to_node(inner) else { return }
            gtk_snapshot_append_node(snapshot, node)
            gsk_render_node_unref(node)
        }
    }

    private func drawFlip(
        from edge: ImageTransition.Edge,
        _ layers: Layers,
        into snapshot: OpaquePointer
    ) {
        let (width, height) = (layers.width, layers.height)
        // The back is seen from half of the turn on, and then stands upright.
        let isBack = progress >= 0.5
        let angle = (isBack ? progress - 1 : progress) * 180
        gtk_snapshot_save(snapshot)
        defer { gtk_snapshot_restore(snapshot) }
        var middle = graphene_point_t(x: Float(width / 2), y: Float(height / 2))
        gtk_snapshot_translate(snapshot, &middle)
        gtk_snapshot_perspective(snapshot, Float(max(width, height) * 2))
        var axis = graphene_vec3_t()
        switch edge {
        case .left: graphene_vec3_init(&axis, 0, 1, 0)
        case .right: graphene_vec3_init(&axis, 0, -1, 0)
        case .top: graphene_vec3_init(&axis, -1, 0, 0)
        case .bottom: graphene_vec3_init(&axis, 1, 0, 0)
        }
        gtk_snapshot_rotate_3d(snapshot, Float(angle), &axis)
        var corner = graphene_point_t(x: Float(-width / 2), y: Float(-height / 2))
        gtk_snapshot_translate(snapshot, &corner)
        if isBack { layers.drawNext(into: snapshot) } else { layers.drawPrevious(into: snapshot) }
    }
}
