internal import Synchronization

/// The time between the moment at which a frame was due and that at which it was told of, at its greatest.
final class PlayerLateness: Sendable {
    private let interval: Double
    private let frameCount: Int
    private let greatest = Mutex(0.0)

    /// - Parameter interval: The duration of each frame in nanoseconds.
    init(interval: Double, frameCount: Int) {
        self.interval = interval
        self.frameCount = frameCount
    }

    /// The greatest, in nanoseconds.
    var most: Double { greatest.withLock { $0 } }

    /// Notes that a frame is shown now.
    ///
    /// - Parameter begin: The time at which its player began.
    func note(_ index: Int, since begin: Double) {
        let loop = interval * Double(frameCount)
        let position = (TimeSample.monotonic - begin).truncatingRemainder(dividingBy: loop)
        let late = position - interval * Double(index)
        // Before the first moment of a frame by less than the clocks differ, or in the loop after that of the frame.
        let lateness = late < -interval ? late + loop : max(0, late)
        greatest.withLock { $0 = max($0, lateness) }
    }
}
