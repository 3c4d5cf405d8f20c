#if GTK
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
    var content = Content()
    /// The number of times that something else was shown.
    var contentCount = 0
    /// Called after something else is shown. It calls no code of the program.
    var onContentChange: () -> Void = {}
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
    /// The indicator of loads whose options name none.
    var indicator = LoadIndicator.none
    /// The area that the last attempt was made for; `nil` if it was made for the image's own size.
    var requestedSize: SizeDemand?

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
        completion: ImageDisplay.Completion?
    ) -> DisplayTask? {
        MainLoopCheck.begin()
        guard let request else {
            // Code of the program, which may itself set an image: this call comes after that.
            let paintable = placeholder.flatMap(\.paintable)
            let superseded = takeTask()
            setContent(paintable, image: placeholder as? DecodedImage)
            superseded?.supersede()
            completion?(.failure(DisplayError.emptySource))
            return nil
        }
        let superseded = takeTask()
        visibility.followLayouts()
        let task = DisplayTask(
            request: request,
            options: pipeline.completed(request.options),
            pipeline: pipeline,
            placeholder: placeholder,
            progress: progress,
            completion: completion
        )
        task.controller = self
        self.task = task
        // The next attempt joins the work of the one before, which is cancelled only then.
        let hasImage = beginIfPossible(task)
        if !hasImage { showWaiting(task) }
        superseded?.supersede(by: task.imageTask)
        return task
    }

    /// Shows an image of the program's own, which supersedes the load.
    func show(_ image: DecodedImage?, transition: ImageTransition) {
        let superseded = takeTask()
        if let image { setImage(image, through: transition) } else { setContent(nil) }
        superseded?.supersede()
    }

    /// Ends all work; the load is superseded. Nothing of the widget is used, unless `uninstalls`.
    func end(uninstalls: Bool) {
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
        endIconSizes()
        task?.cancel()
    }

    /// Takes the load from the slot: nothing of it is shown from now on. Calls no code of the program, so that the
    /// caller ends the load once it has done everything else.
    private func takeTask() -> DisplayTask? {
        endSetting()
        endPreviews()
        endIconSizes()
        cancelEnlargement()
        requestedSize = nil
        stopIndicator()
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
#endif
