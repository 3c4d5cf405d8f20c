internal import Halcyon

/// The time for which the main thread waits for images on disk, so that they are in the next frame.
@MainActor
enum DiskWait {
    /// The longest time between two frames of a window. A frame lasts 16.7 ms at 60 Hz, and is still to be drawn.
    static var limit = Duration.milliseconds(8) {
        didSet { frame = nil }
    }

    /// The frame for which was waited last, and the time left of the limit.
    private static var frame: Int?
    private static var rest = Duration.zero

    /// Returns the image of a request if it is in the caches, or in a local file, and comes in time.
    static func response(
        _ request: ImageRequest,
        _ task: DisplayTask,
        _ visibility: WidgetVisibility
    ) -> ImageResponse? {
        let frame = visibility.frameCount
        if frame == nil || frame != self.frame { (self.frame, rest) = (frame, limit) }
        guard rest > .zero else { return nil }
        let start = ContinuousClock.now
        defer { rest -= ContinuousClock.now - start }
        return task.pipeline.responseFromCache(for: request, within: rest)
    }
}
