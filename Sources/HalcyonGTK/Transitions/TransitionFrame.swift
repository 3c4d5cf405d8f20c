internal import CGTK

/// One moment of a transition, to be drawn by code of the program.
@MainActor
public struct TransitionFrame {
    /// The part of the duration that has passed, from 0 to 1.
    public let progress: Double
    /// The `GtkSnapshot *` to draw into, valid during the call. Its origin is the corner of the place.
    public let snapshot: UnsafeMutableRawPointer
    let layers: TransitionPass.Layers

    /// The width in points of the place of the image that is shown afterwards.
    public var width: Double { layers.width }
    /// The height in points of the place of the image that is shown afterwards.
    public var height: Double { layers.height }

    /// Draws what was shown before, where it was shown.
    public func drawPrevious() { layers.drawPrevious(into: snapshot.opaque) }

    /// Draws what is shown afterwards, where it is shown then.
    public func drawNext() { layers.drawNext(into: snapshot.opaque) }
}
