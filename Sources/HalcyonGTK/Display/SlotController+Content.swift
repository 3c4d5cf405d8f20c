#if GTK
internal import Halcyon

extension SlotController {
    /// Shows an image, and plays it if it is animated.
    func setImage(_ image: DecodedImage, through transition: ImageTransition) {
        paintable?.appearance.rendering = task?.options[ImageRenderingKey.self] ?? ImageRendering()
        setContent(Paintable(image), kind: .image, image: image, through: transition)
        play(image)
    }

    /// Shows something else, or nothing.
    ///
    /// - Parameters:
    ///   - kind: Default: a placeholder.
    ///   - image: The image that it is of. Default: `nil`.
    ///   - transition: Default: none.
    func setContent(
        _ paintable: Paintable?,
        kind: DisplayedContent = .placeholder,
        image: DecodedImage? = nil,
        through transition: ImageTransition = .none
    ) {
        stopPlaying()
        endTransition()
        content = Content(kind: paintable == nil ? .nothing : kind, image: image)
        show(paintable, through: transition)
        onContentChange()
    }

    /// Shows what there is to be shown until the image is there.
    func showWaiting(_ task: DisplayTask) {
        let options = task.options
        guard task === self.task else { return }
        if options[ImageSettingKey.self] != .manual {
            let keepsCurrent = options[KeepsCurrentImageKey.self] && content.kind != .nothing
            if !keepsCurrent {
                if options[DelaysPlaceholderKey.self] { setContent(nil) } else { showPlaceholder(of: task) }
            }
        }
        if task.state == .loading { startIndicator(options[IndicatorKey.self]) }
    }

    func showPlaceholder(of task: DisplayTask) {
        setContent(task.placeholder.flatMap(\.paintable))
    }
}
#endif
