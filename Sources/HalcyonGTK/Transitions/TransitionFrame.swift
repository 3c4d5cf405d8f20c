#if GTK
internal import CGTK

/// One moment of a transition, to be drawn by code of the program.
@MainActor
public struct TransitionFrame {
    /// The part of the duration that has passed, from 0 to 1.
    public let progress: Double
    /// The width of the place in points.
    public let width: Double
    /// The height of the place in points.
    public let height: Double
    /// The `GtkSnapshot *` to draw into, valid during the call. Its origin is the corner of the place.
    public let snapshot: UnsafeMutableRawPointer
    let previous: Paintable?
    let next: Paintable?

    /// Draws what was shown before into the whole place, with its own ratio of sides.
    public func drawPrevious() { draw(previous) }

    /// Draws what is shown afterwards into the whole place, with its own ratio of sides.
    public func drawNext() { draw(next) }

    private func draw(_ paintable: Paintable?) {
        paintable?.drawFitted(into: snapshot.opaque, width: width, height: height)
    }
}

extension Paintable {
    /// Draws in the middle of a place, as large as it fits there with its own ratio of sides.
    func drawFitted(into snapshot: OpaquePointer, width: Double, height: Double) {
        guard self.width > 0, self.height > 0, width > 0, height > 0 else {
            return draw(into: snapshot, width: width, height: height)
        }
        let factor = min(width / self.width, height / self.height)
        let size = (width: self.width * factor, height: self.height * factor)
        // The place usually has the ratio of the image, rounded to points.
        guard width - size.width > 1 || height - size.height > 1 else {
            return draw(into: snapshot, width: width, height: height)
        }
        gtk_snapshot_save(snapshot)
        var origin = graphene_point_t(x: Float((width - size.width) / 2), y: Float((height - size.height) / 2))
        gtk_snapshot_translate(snapshot, &origin)
        draw(into: snapshot, width: size.width, height: size.height)
        gtk_snapshot_restore(snapshot)
    }
}
#endif
