internal import Halcyon

extension SlotController {
    /// Shows an image, and plays it if it is animated.
    ///
    /// - Parameter goesOn: Whether it is the image that is shown, in another size: its playing goes on. Default: `false`.
    func setImage(_ image: DecodedImage, through transition: ImageTransition, goesOn: Bool = false) {
        setContent(paintable(for: image), kind: .image, image: image, through: transition, goesOn: goesOn)
    }

    /// Shows something else, or nothing. An image is played if it is animated.
    ///
    /// - Parameters:
    ///   - kind: Default: a placeholder.
    ///   - image: The image that it is of. Default: `nil`.
    ///   - transition: Default: none.
    ///   - goesOn: Whether it is the image that is shown, in another size. Default: `false`.
    func setContent(
        _ paintable: Paintable?,
        kind: DisplayedContent = .placeholder,
        image: DecodedImage? = nil,
        through transition: ImageTransition = .none,
        goesOn: Bool = false
    ) {
        if !goesOn { stopPlaying() }
        dropTransition()
        visibility.followLayouts()
        content = Content(kind: paintable == nil ? .nothing : kind, image: image)
        contentCount += 1
        let number = contentCount
        noteFittingWindow()
        let window = paintable == nil ? nil : fittingWindow
        hasShownImage = paintable != nil && (kind == .image || hasShownImage)
        show(paintable, through: transition, number)
        // A property that was set may be followed by code of the program, which has shown something else then.
        guard number == contentCount else { return }
        window?.fit()
        if let image { play(image, goesOn: goesOn) }
        onContentChange()
    }

    /// Returns whether previews are shown: an image that the program shows has none.
    func showsPreviews(of task: DisplayTask) -> Bool { task.options[ImageSettingKey.self] == .automatic }

    func showPreview(_ preview: ImagePreview) {
        let image = preview.image
        // Those that are read begin with the one that is there.
        if content.kind == .preview, isShown(image) { return }
        setContent(paintable(for: image), kind: .preview, image: image, goesOn: goesOn(with: image))
    }

    /// Shows the image of a load. Of one that is shown already, as a preview or as the image of an earlier call, nothing
    /// begins anew.
    func show(_ response: ImageResponse, of task: DisplayTask) {
        let image = response.image
        guard isShown(image) else {
            return setImage(image, through: transition(for: response, of: task), goesOn: goesOn(with: image))
        }
        content = Content(kind: .image, image: image)
        hasShownImage = true
        slotPlayer?.follow(task.options[PlaybackKey.self])
        // The widget may have grown while the image was being loaded. One that waits is looked at after each layout.
        if requestedSize != nil, task.state != .waiting { visibility.requestLayout() }
        onContentChange()
    }

    /// Returns whether an image is shown already, whole or as a preview, as it would be now.
    private func isShown(_ image: DecodedImage) -> Bool {
        guard content.kind == .image || content.kind == .preview, shows(image), let current = paintable?.current else {
            return false
        }
        let next = paintable(for: image)
        return (current.width, current.height, current.rendering) == (next.width, next.height, next.rendering)
            && (image.animation == nil && content.image?.animation == nil || goesOn(with: image))
    }

    /// Returns whether the pixels of an image are shown, or those of one of its frames.
    func shows(_ image: DecodedImage) -> Bool {
        content.image.map { Texture.make($0.bitmap).pointer == Texture.make(image.bitmap).pointer } ?? false
    }
}

/// What a slot shows.
public enum DisplayedContent: Sendable, Hashable, CaseIterable {
    case nothing
    case placeholder
    /// A preview of the image that is being loaded.
    case preview
    case image
    /// The image for a failure.
    case failure
}
