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

    /// The source and the options; without closures of the program's own once the widget has left its window.
    public private(set) var request: ImageRequest
    /// The state.
    public internal(set) var state = State.waiting
    /// The response, once the image is there.
    public internal(set) var response: ImageResponse?
    /// The bytes received so far, as reported; nothing of an unknown size at first, and for an image that none are
    /// received for.
    public private(set) var progress = ImageProgress()
    /// The present attempt; `nil` before the first and between two.
    public internal(set) var imageTask: ImageTask?
    let pipeline: ImagePipeline
    /// Those of the pipeline with the changes of views, then with those of the request.
    private(set) var options: ImageOptions
    /// A Boolean value that indicates whether closures of the options are gone, so that no later call asks for the same.
    private(set) var hasDroppedClosures = false
    /// The failure of the load; `nil` unless it has failed.
    var failure: DisplayFailure?
    /// A Boolean value that indicates whether a larger image from memory may have been shown in the place of one of the
    /// size that was asked for, which has not been looked for yet.
    var mayBeInexact = false
    /// A Boolean value that indicates whether the handlers are kept while the widget is in no window, because they do not
    /// keep the widget.
    var keepsHandlers = false
    /// The handlers of the owner of the slot: a remote image, or the cell of a list. They follow the load through equal calls
    /// and retries of the program. They keep no widget.
    struct OwnerHandlers {
        var onProgress: (@MainActor (ImageProgress) -> Void)?
        /// Called after a call of the program has begun the load anew.
        let onRestart: @MainActor () -> Void
        /// Called with the result, before the completion handler.
        let onEnd: ImageDisplay.Completion
    }

    /// `nil` for a load that is the program's alone.
    var owner: OwnerHandlers?
    /// Kept until the image is there, as the progress handler is.
    private(set) var placeholder: (any Placeholder)?
    /// The number of attempts begun. An event of an earlier one counts for nothing.
    private(set) var attempt = 0
    private var onProgress: (@MainActor (ImageProgress) -> Void)?
    private var reportsProgress = true
    /// A Boolean value that indicates whether an attempt is being begun.
    var isStarting = false
    /// A Boolean value that indicates whether the image of the file as it was examined last is shown, which the load
    /// confirms or replaces.
    var showsExaminedFile = false
    /// A Boolean value that indicates whether the image of the call before was kept, which is the same, maybe at another
    /// size: it stays until the load ends.
    var keepsImage = false
    /// The image as memory had it at a smaller size when the attempt began, until the load ends.
    var smallerImage: DecodedImage?
    /// A Boolean value that indicates whether the image is shown as memory had it at a smaller size, until the load ends.
    var showsSmallerImage = false
    /// The attempt under way, which its load keeps.
    weak var running: DisplayAttempt?
    private var completion: ImageDisplay.Completion?
    /// The place of the call among those that handlers make.
    var chain = CallChain()
    weak var controller: SlotController?

    init(
        request: ImageRequest,
        pipeline: ImagePipeline,
        placeholder: (any Placeholder)?,
        progress: (@MainActor (ImageProgress) -> Void)?,
        completion: ImageDisplay.Completion?
    ) {
        self.request = request
        options = pipeline.viewOptions(of: request)
        self.pipeline = pipeline
        self.placeholder = placeholder
        onProgress = progress
        self.completion = completion
    }

    /// Ends the load with `CancellationError`, unless it has ended. What is shown stays.
    ///
    /// Of no effect once the image is shown, though its transition may be under way: the call has succeeded then.
    public func cancel() {
        guard state != .finished, !wasShown else { return }
        _ = beginAttempt()
        let imageTask = imageTask
        self.imageTask = nil
        imageTask?.cancel()
        // What the program has not shown yet is loaded by the next call.
        response = nil
        finish(.failure(CancellationError()))
        controller?.taskWasCancelled(self)
    }

    /// Begins the call anew, with the same source, options, placeholder and progress handler, if it is the last one
    /// of its slot and has failed or was cancelled.
    ///
    /// A failed load never begins again by itself. What the pipeline remembers of failures (``FailureMemory``) counts.
    ///
    /// - Parameter completion: As for ``ImageDisplay/setImage(with:placeholder:pipeline:progress:completion:)``.
    ///   Default: `nil`.
    /// - Returns: The new load; `nil` if there is nothing to begin anew, and then nothing is called.
    @discardableResult
    public func retry(completion: ImageDisplay.Completion? = nil) -> DisplayTask? {
        guard let controller, controller.task === self, state == .finished, response == nil else { return nil }
        return controller.setImage(
            with: request,
            placeholder: placeholder,
            pipeline: pipeline,
            progress: onProgress,
            completion: completion,
            startsAnew: true
        )
    }

    /// Goes on with the load of an earlier call for the same, which its own handlers hear of no more.
    func takeUp(_ earlier: DisplayTask) {
        (state, response, progress) = (earlier.state, earlier.response, earlier.progress)
        (imageTask, attempt, running) = (earlier.imageTask, earlier.attempt, earlier.running)
        (isStarting, reportsProgress, mayBeInexact) = (
            earlier.isStarting, earlier.reportsProgress, earlier.mayBeInexact
        )
        (showsExaminedFile, showsSmallerImage) = (earlier.showsExaminedFile, earlier.showsSmallerImage)
        smallerImage = earlier.smallerImage
        keepsImage = earlier.keepsImage
        failure = earlier.failure
        owner = owner ?? earlier.owner
        running?.task = self
        (earlier.imageTask, earlier.running, earlier.owner) = (nil, nil, nil)
    }

    /// Ends the call with an error, but not its load, of which nothing is told any more: the image is shown when the widget
    /// comes back.
    func dropHandlers() {
        onProgress = nil
        guard let completion else { return }
        self.completion = nil
        completion(.failure(DisplayError.superseded(nil)))
    }

    /// Lets go of the closures in the options, which may keep the widget.
    func dropClosures() {
        let remaining = options.withoutClosures
        guard remaining != options else { return }
        options = remaining
        // A whole value: changes would keep the closures that they set.
        request.options = remaining
        hasDroppedClosures = true
    }

    /// A Boolean value that indicates whether the program shows the image.
    var isSetByProgram: Bool {
        if case .custom = options[ImageSettingKey.self].kind { true } else { false }
    }

    /// A Boolean value that indicates whether the image has been shown, though its transition may be under way.
    var wasShown: Bool { state == .setting && options[ImageSettingKey.self] == .automatic }

    /// A Boolean value that indicates whether the image is awaited.
    var isUnderWay: Bool { state == .waiting || state == .loading }

    /// A Boolean value that indicates whether the slot shows the response, which it leaves to the program otherwise.
    var showsResponse: Bool { response != nil && options[ImageSettingKey.self] == .automatic }

    /// A Boolean value that indicates whether an equal call is answered by an image that is shown.
    var mayAnswer: Bool { options.cache.reads != .none && !options.cache.revalidates }

    /// The number of a new attempt, after which nothing of an earlier one counts.
    func beginAttempt() -> Int {
        attempt += 1
        return attempt
    }

    func report(_ progress: ImageProgress) {
        guard reportsProgress else { return }
        self.progress = progress
        owner?.onProgress?(progress)
        // The program may have made another call in it.
        guard reportsProgress else { return }
        onProgress?(progress)
    }

    /// No progress is reported from now on.
    func endProgress() { reportsProgress = false }

    /// Calls the completion handler, unless it was called.
    func finish(_ result: Result<ImageResponse, any Error>) {
        guard state != .finished else { return }
        state = .finished
        smallerImage = nil
        endProgress()
        // Only a call that may begin anew needs them.
        if response != nil || controller == nil { (placeholder, onProgress) = (nil, nil) }
        let (owner, completion) = (owner, completion)
        self.completion = nil
        chain.callHandlers(hasFailed: result.isFailure) {
            owner?.onEnd(result)
            completion?(result)
        }
        controller?.endCallIfGone()
    }
}

extension Result {
    var isFailure: Bool { if case .failure = self { true } else { false } }
}
