#if GTK
public import Halcyon

/// The load of an image for a slot, from the call that sets the image to its completion handler: one handle for all
/// attempts, such as after the widget was out of sight.
@MainActor
public final class DisplayTask {
    /// The state of a load.
    public enum State: Sendable {
        /// The widget is not shown, or has no size yet.
        case waiting
        case loading
        /// The image is there, and its transition or the program's own setting is under way.
        case setting
        /// The completion handler was called.
        case finished
    }

    /// The source and the options.
    public let request: ImageRequest
    /// The state.
    public internal(set) var state = State.waiting
    /// The response, once the image is there.
    public internal(set) var response: ImageResponse?
    /// The present attempt; `nil` before the first and between two.
    public internal(set) var imageTask: ImageTask?
    let pipeline: ImagePipeline
    let options: ImageOptions
    let placeholder: (any Placeholder)?
    /// The number of attempts begun. An event of an earlier one counts for nothing.
    private(set) var attempt = 0
    private var progress: (@MainActor (ImageProgress) -> Void)?
    private var completion: ImageDisplay.Completion?
    weak var controller: SlotController?

    /// - Parameter options: Those of the request, with those of the pipeline filled in.
    init(
        request: ImageRequest,
        options: ImageOptions,
        pipeline: ImagePipeline,
        placeholder: (any Placeholder)?,
        progress: (@MainActor (ImageProgress) -> Void)?,
        completion: ImageDisplay.Completion?
    ) {
        self.request = request
        self.options = options
        self.pipeline = pipeline
        self.placeholder = placeholder
        self.progress = progress
        self.completion = completion
    }

    /// Ends the load with `CancellationError`, unless it has ended. What is shown stays.
    public func cancel() {
        guard state != .finished else { return }
        _ = beginAttempt()
        let imageTask = imageTask
        self.imageTask = nil
        imageTask?.cancel()
        controller?.taskWasCancelled(self)
        finish(.failure(CancellationError()))
    }

    /// A Boolean value that indicates whether the image has been shown, though its transition may be under way.
    var wasShown: Bool { state == .setting && options[ImageSettingKey.self] == .automatic }

    /// The number of a new attempt, after which nothing of an earlier one counts.
    func beginAttempt() -> Int {
        attempt += 1
        return attempt
    }

    func report(_ progress: ImageProgress) {
        self.progress?(progress)
    }

    /// No progress is reported from now on.
    func endProgress() { progress = nil }

    /// Calls the completion handler, unless it was called.
    func finish(_ result: Result<ImageResponse, any Error>) {
        guard state != .finished else { return }
        state = .finished
        progress = nil
        let completion = completion
        self.completion = nil
        completion?(result)
    }
}
#endif
