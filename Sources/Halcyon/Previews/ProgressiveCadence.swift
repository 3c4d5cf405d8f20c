internal import HalcyonCodecs
internal import HalcyonSystem

/// Decides which states of an image are worth a preview, so that the work of all previews is bounded.
struct ProgressiveCadence {
    /// The most previews of one image; a JPEG may have hundreds of scans.
    static let maximumCount = 64
    /// The least share of the image's area that has to be new where the image comes by rows.
    static let leastGrowth = 1.0 / 16

    /// The shortest time from one preview to the next.
    let minimumInterval: Duration
    private var last = IncrementalProgress()
    private var count = 0

    init(minimumInterval: Duration) {
        self.minimumInterval = minimumInterval
    }

    /// Returns whether a state is worth a preview, and counts it if it is. A complete image is none: the image itself
    /// follows.
    mutating func accepts(_ progress: IncrementalProgress) -> Bool {
        guard count < Self.maximumCount, !progress.isComplete, progress.coverage > 0 else { return false }
        let isSharper = progress.passCount > last.passCount
        // What follows the last rows may take long, such as the other frames of an animation.
        let isFilled = progress.coverage == 1 && last.coverage < 1
        let isLarger = isFilled || progress.coverage >= last.coverage + Self.leastGrowth
        guard isSharper || isLarger else { return false }
        last = progress
        count += 1
        return true
    }

    /// Waits after a preview until the next may be made.
    func wait(_ clock: any Clock<Duration>) async throws {
        if minimumInterval > .zero { try await clock.sleep(upTo: minimumInterval) }
    }
}
