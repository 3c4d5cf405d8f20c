public import Halcyon

/// One moment of an indicator, to be drawn by code of the program.
@MainActor
public struct IndicatorFrame {
    /// The time since the indicator began.
    public let time: Duration
    /// The progress of the load.
    public let progress: ImageProgress
    /// The width of the place in points.
    public let width: Double
    /// The height of the place in points.
    public let height: Double
    /// The `GtkSnapshot *` to draw into, valid during the call. Its origin is the corner of the place.
    public let snapshot: UnsafeMutableRawPointer
}
