internal import CGTK
internal import Halcyon

/// The loads of one slot of a widget, and what it shows.
///
/// Of its loads, the latest counts (``task``). Whatever comes from elsewhere, such as a response, a preview or a frame,
/// is shown only after a comparison with that.
@MainActor
final class SlotController {
    /// What is shown.
    struct Content {
        var kind = DisplayedContent.nothing
        var image: DecodedImage?
    }

    /// The load that counts; also after its end.
    var task: DisplayTask?
    /// The number of the last call with a source, among those of all widgets; 0 before it.
    private(set) var call = 0
    /// The pipeline of the last call with a source; `nil` before it.
    private(set) var pipeline: ImagePipeline?
    var content = Content()
    /// A Boolean value that indicates whether an image was shown since there was nothing.
    var hasShownImage = false
    /// The window that has the size of its content, at the last change of that; `nil` if it has another, or if there was an
    /// image.
    var fittingWindow: FittingWindow?
    /// The number of times that something else was shown.
    var contentCount = 0
    /// Called after something else is shown. It calls no code of the program.
    var onContentChange: () -> Void = {}
    /// Called when the widget has come into sight or is no longer in it, and after each change of motion. It may call code of
    /// the program.
    var onVisibilityChange: (WidgetVisibility.Change) -> Void = { _ in }
    /// A Boolean value that indicates whether sight is followed whatever the slot shows.
    var followsSight = false {
        didSet { if followsSight { visibility.followLayouts() } }
    }
    /// `nil` once the slot has been given up.
    private(set) var installation: SlotInstallation?
    let visibility: WidgetVisibility
    /// The attempt to load the image that is shown at a larger size; its result is shown without a word.
    var enlargement: Enlargement?
    /// The number of such attempts begun.
    var enlargementCount = 0
    /// The program's own setting of the image, while it runs, and that of the placeholder.
    var setting: Task<Void, Never>?
    var placeholderSetting: Task<Void, Never>?
    /// The loading of further sizes of the icon of a window.
    var iconSizes: Task<Void, Never>?
    /// The reading of previews.
    var previews: Task<Void, Never>?
    /// Moves transitions and indicators on.
    var ticker: FrameTicker?
    /// The times of the first frames of the transition and of the indicator; `nil` before them.
    var transitionStart: Duration?
    var indicatorStart: Duration?
    /// The task whose completion handler waits for the transition under way.
    var transitionTask: DisplayTask?
    /// The fallback for a transition whose frames do not come.
    var transitionDeadline: Task<Void, Never>?
    /// The playing of the image that is shown, and of that of the indicator.
    var slotPlayer: SlotPlayer?
    var indicatorPlayer: SlotPlayer?
    /// The number of times that an indicator has begun or ended.
    var indicatorCount = 0
    /// The indicator of loads whose options name none.
    var indicator = LoadIndicator.none
    /// The area that the last attempt was made for; `nil` if it was made for the image's own size.
    var requestedSize: SizeDemand?
    /// Measures the time for which a widget keeps its size before a larger image is loaded for it.
    var clock: any Clock<Duration> = ContinuousClock()
    /// The wait for a size to stay as it is.
    var growth: Growth?
    /// A Boolean value that indicates whether the widget has grown out of sight, and is looked at again once it is in sight.
    var hasGrownOutOfSight = false
    /// A Boolean value that indicates whether the widget was in a window and has left it, whether it is in another or not.
    var hasLeftWindow = false
    /// The last attempt to load the image at a larger size, if it has failed.
    var failedEnlargement: FailedEnlargement?

    init(_ installation: SlotInstallation, _ visibility: WidgetVisibility) {
        self.installation = installation
        self.visibility = visibility
        installation.paintable.widget = visibility.widget
        installation.paintable.onResize = { [weak self] in
            // The widget may have grown since the image was asked for.
            if let self, requestedSize != nil { self.visibility.requestLayout() }
        }
    }

    var paintable: SlotPaintable? { installation?.paintable }

    /// The image that is shown; `nil` for anything else.
    var shownImage: DecodedImage? { content.kind == .image ? content.image : nil }

    func setImage(
        with request: ImageRequest?,
        placeholder: (any Placeholder)?,
        pipeline: ImagePipeline,
        progress: (@MainActor (ImageProgress) -> Void)?,
        completion: ImageDisplay.Completion?,
        owner: DisplayTask.OwnerHandlers? = nil,
        startsAnew: Bool = false
    ) -> DisplayTask? {
        MainLoopCheck.begin()
        installation?.take()
        guard let request else {
            // Code of the program, which may itself set an image: this call comes after that.
            let paintable = placeholder.flatMap(\.paintable)
            let superseded = takeTask()
            setContent(paintable, image: placeholder as? DecodedImage)
            superseded?.supersede()
            CallChain().callHandlers(hasFailed: true) { completion?(.failure(DisplayError.emptySource)) }
            return nil
        }
        self.pipeline = pipeline
        let task = DisplayTask(
            request: request,
            pipeline: pipeline,
            placeholder: placeholder,
            progress: progress,
            completion: completion
        )
        task.owner = owner
        var restarts = false
        if let present = self.task, present.isEqual(to: task) {
            if !startsAnew, let answer = answer(to: task, by: present) { return answer }
            restarts = owner == nil
            task.owner = owner ?? present.owner
        }
        // At another size, what is shown stays until there is better; also where an earlier call has left it there.
        if content.kind == .image, let present = self.task, present.showsResponse || present.keepsImage {
            task.keepsImage = present.hasSameImage(as: task)
        }
        if task.keepsImage { task.showsExaminedFile = task.request.source.isExaminedFirst }
        let superseded = takeTask()
        call = visibility.noteCall()
        task.controller = self
        self.task = task
        // The next attempt joins the work of the one before, which is cancelled only then.
        let hasImage = beginIfPossible(task)
        if !hasImage { showWaiting(task) }
        // What is shown may be as before, but for the indicator.
        paintable?.tellChange()
        superseded?.supersede(by: task.imageTask)
        // An equal call of the program may have taken its place.
        if restarts, let current = self.task, current.isEqual(to: task), current.isUnderWay {
            current.owner?.onRestart()
        }
        endCallIfGone()
        return task
    }

    /// Returns whether the last call asked for the same as a request does.
    func isAsked(for request: ImageRequest, in pipeline: ImagePipeline) -> Bool {
        // It is never begun.
        let call = DisplayTask(request: request, pipeline: pipeline, placeholder: nil, progress: nil, completion: nil)
        return task?.isEqual(to: call) ?? false
    }

    /// Answers a call for the same as an earlier one asked for.
    ///
    /// - Returns: The load that answers the call; `nil` if it has to begin anew.
    private func answer(to call: DisplayTask, by present: DisplayTask) -> DisplayTask? {
        // The program may have put something else in the place of what is shown. Handlers of its own at the property may make
        // another call, which this one comes after.
        installation?.update()
        guard task === present else { return nil }
        switch present.state {
        case .waiting, .loading, .setting:
            call.takeUp(present)
            call.controller = self
            task = call
            if transitionTask === present { transitionTask = call }
            present.controller = nil
            // Memory may have the image by now.
            if call.state == .waiting { _ = beginIfPossible(call) }
            present.finish(present.resultOfSuperseded)
            endCallIfGone()
            return call
        case .finished:
            // A file is examined again: it may have changed, or be there now.
            guard call.mayAnswer, !call.request.source.isExaminedFirst else { return nil }
            let result: Result<ImageResponse, any Error>
            if let response = present.response {
                let isShown = content.kind == .image || present.options[ImageSettingKey.self] != .automatic
                guard isShown else { return nil }
                result = .success(response)
            } else {
                guard let failure = present.failure,
                    !failure.mayBeOver(for: present.request(for: .imageSize()), in: present.pipeline)
                else { return nil }
                result = .failure(failure.error)
            }
            present.owner = call.owner ?? present.owner
            call.chain = CallChain(isRepeated: true)
            call.finish(result)
            return present
        }
    }

    /// Shows an image of the program's own, which supersedes the load.
    func show(_ image: DecodedImage?, transition: ImageTransition) {
        installation?.take()
        let superseded = takeTask()
        if let image { setImage(image, through: transition) } else { setContent(nil) }
        superseded?.supersede()
    }

    /// Ends all work; the load is superseded. Nothing of the widget is used, unless `uninstalls`.
    func end(uninstalls: Bool) {
        if !uninstalls { paintable?.onChange = nil }
        let superseded = takeTask()
        stopPlaying()
        ticker?.stop(widgetExists: uninstalls)
        ticker = nil
        paintable?.widget = nil
        if uninstalls { installation?.uninstall() }
        installation = nil
        content = Content()
        superseded?.supersede(isLater: !uninstalls)
    }

    /// Cancels the load, and those of the image in other sizes.
    func cancel() {
        cancelEnlargement()
        failedEnlargement = nil
        endIconSizes()
        task?.cancel()
    }

    /// Takes the load from the slot: nothing of it is shown from now on. Calls no code of the program, so that the
    /// caller ends the load once it has done everything else.
    func takeTask() -> DisplayTask? {
        endSetting()
        endPreviews()
        endIconSizes()
        cancelEnlargement()
        failedEnlargement = nil
        requestedSize = nil
        takeIndicator()
        dropTransition()
        let taken = task
        task = nil
        taken?.controller = nil
        return taken
    }

    /// Ends what belongs to a task that was cancelled.
    func taskWasCancelled(_ task: DisplayTask) {
        guard task === self.task else { return }
        endSetting()
        endPreviews()
        stopIndicator()
    }

    /// Reads no more previews.
    func endPreviews() {
        previews?.cancel()
        previews = nil
    }

    private func endSetting() {
        setting?.cancel()
        placeholderSetting?.cancel()
        (setting, placeholderSetting) = (nil, nil)
    }
}
