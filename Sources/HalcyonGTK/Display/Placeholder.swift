public import Halcyon

/// What is shown while an image is loaded, and may stay if the load fails.
@MainActor
public protocol Placeholder {
    /// Draws the placeholder; `nil` for nothing.
    var paintable: Paintable? { get }
}

extension DecodedImage: Placeholder {
    /// The image; an animated one plays.
    public var paintable: Paintable? { Paintable(self) }
}

extension Paintable: Placeholder {
    /// This paintable.
    public var paintable: Paintable? { self }
}

extension SlotController {
    /// Shows what there is to be shown until the image is there.
    func showWaiting(_ task: DisplayTask) {
        let options = task.options
        guard task === self.task else { return }
        let isProgramShown = task.setsPlaceholder != nil
        let keepsCurrent =
            task.keepsImage || options[KeepsCurrentImageKey.self] && (content.kind != .nothing || isProgramShown)
        if !task.keepsImage, let preview = task.imageTask?.preview, showsPreviews(of: task) {
            showPreview(preview)
        } else if !keepsCurrent, !showSmallerImage(of: task) {
            if options[DelaysPlaceholderKey.self] { setContent(nil) } else { showPlaceholder(of: task) }
        }
        startIndicator(of: task)
    }

    func showPlaceholder(of task: DisplayTask, through transition: ImageTransition = .none) {
        // Code of the program, which may set another image, or end the load.
        let paintable = task.placeholder.flatMap(\.paintable)
        guard task === self.task, task.state != .finished else { return }
        guard let set = task.setsPlaceholder else {
            return setContent(paintable, image: task.placeholder as? DecodedImage, through: transition)
        }
        placeholderSetting?.cancel()
        placeholderSetting = Task {
            // Another call may have come before it began.
            if !Task.isCancelled { await set(paintable) }
        }
    }
}

extension DisplayTask {
    /// Shows the placeholder, if the program does that; `nil` if the slot does.
    var setsPlaceholder: (@MainActor @Sendable (Paintable?) async -> Void)? {
        if case .custom(let custom) = options[ImageSettingKey.self].kind { custom.placeholder } else { nil }
    }
}
