internal import CGTK

extension TransitionPass {
    /// Both images of a transition, each of which keeps the place and the size that it has without it.
    @MainActor
    struct Layers {
        let previous: Paintable?
        let next: Paintable?
        /// The size at which the widget draws `next`.
        let width: Double
        let height: Double
        let place: PaintingPlace
        /// The widget whose colour and direction count; `nil` for none.
        let widget: UnsafeMutableRawPointer?

        func drawNext(into snapshot: OpaquePointer) {
            next?.draw(into: snapshot, width: width, height: height, for: widget)
        }

        func drawPrevious(into snapshot: OpaquePointer) {
            guard let previous else { return }
            let size = previousSize(previous)
            gtk_snapshot_save(snapshot)
            var origin = graphene_point_t(x: Float((width - size.width) / 2), y: Float((height - size.height) / 2))
            gtk_snapshot_translate(snapshot, &origin)
            previous.draw(into: snapshot, width: size.width, height: size.height, for: widget)
            gtk_snapshot_restore(snapshot)
        }

        /// Both are in the middle of the place.
        private func previousSize(_ previous: Paintable) -> (width: Double, height: Double) {
            let expected = next.map { place.size(of: $0) } ?? (width: place.width, height: place.height)
            if abs(expected.width - width) <= 2, abs(expected.height - height) <= 2 { return place.size(of: previous) }
            // Drawn elsewhere than in the widget, or by a rule of the widget's own: the ratio is kept.
            guard previous.width > 0, previous.height > 0 else { return (width, height) }
            let factor = min(width / previous.width, height / previous.height)
            return (previous.width * factor, previous.height * factor)
        }
    }
}
