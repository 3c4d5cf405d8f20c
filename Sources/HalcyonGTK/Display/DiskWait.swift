internal import CGTK
internal import Halcyon

/// The time for which the main thread waits for images on disk, so that they are in the next frame: all widgets of a
/// window share it, and all that is in no window that is shown.
@MainActor
final class DiskWait {
    /// The longest time between two frames of a window. A frame lasts 16.7 ms at 60 Hz, and is still to be drawn.
    static var limit = Duration.milliseconds(8)
    /// The time that counts as that of a frame where there are none, in microseconds.
    private static let frameTime = 16_000

    private static let attachment = AttachedObject<DiskWait>(name: "halcyon-disk-wait")
    /// That of what has no frames.
    private static let frameless = DiskWait()

    /// The frame for which was waited last, and the time left of the limit.
    private var frame: Int?
    private var rest = Duration.zero

    /// Returns the image of a request if it is in the caches, or in a local file, and comes in time.
    static func response(
        _ request: ImageRequest,
        _ task: DisplayTask,
        _ visibility: WidgetVisibility
    ) -> ImageResponse? {
        let frame = visibility.frameCount ?? Int(g_get_monotonic_time()) / frameTime
        return of(visibility).wait(in: frame) { task.pipeline.responseFromCache(for: request, within: $0) }
    }

    /// Returns the time of a widget's window, made where there is none.
    static func of(_ visibility: WidgetVisibility) -> DiskWait {
        guard let clock = visibility.clock?.opaque else { return frameless }
        if let wait = attachment.value(of: clock) { return wait }
        let wait = DiskWait()
        attachment.attach(wait, to: clock)
        return wait
    }

    /// Calls a closure that takes time, with the longest time that it may take; `nil` if none is left in a frame.
    func wait<Result>(in frame: Int, _ body: (Duration) -> Result?) -> Result? {
        if frame != self.frame { (self.frame, rest) = (frame, Self.limit) }
        guard rest > .zero else { return nil }
        let start = ContinuousClock.now
        defer { rest -= ContinuousClock.now - start }
        return body(rest)
    }
}
