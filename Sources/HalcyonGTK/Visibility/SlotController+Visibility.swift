#if GTK
internal import CGTK
internal import Halcyon

extension SlotController {
    /// The size at which an attempt asks for its image.
    enum Demand {
        case imageSize
        case size(SizeDemand)

        var size: SizeDemand? {
            switch self {
            case .imageSize: nil
            case .size(let size): size
            }
        }
    }

    /// The size at which an image is asked for now; `nil` while that is not known.
    func sizeDemand(for task: DisplayTask) -> Demand? {
        guard task.options[DisplaySizingKey.self] == .widget, task.options.targetSize == nil,
            let widget = installation?.displayWidget
        else { return .imageSize }
        guard visibility.isLaidOut else {
            return task.options[LoadVisibilityKey.self] == .always ? .imageSize : nil
        }
        let scale = visibility.scale
        let width = Int(gtk_widget_get_width(widget.widget)) * scale
        let height = Int(gtk_widget_get_height(widget.widget)) * scale
        // A widget that shows nothing yet, and takes its size from what it shows.
        if width <= 1, height <= 1 { return .imageSize }
        return .size(SizeDemand(width: width <= 1 ? 0 : width, height: height <= 1 ? 0 : height))
    }

    /// Returns whether a load may run now.
    func mayLoad(_ task: DisplayTask) -> Bool {
        visibility.isMapped || task.options[LoadVisibilityKey.self] == .always
    }

    /// The widget has been shown, hidden, laid out or taken out of its window.
    func visibilityDidChange(_ change: WidgetVisibility.Change) {
        switch change {
        case .mapping:
            if visibility.isMapped { widgetDidAppear() } else { widgetDidDisappear() }
        case .layout:
            if let task { beginWaiting(task) }
            enlargeIfNeeded()
        case .removal:
            widgetDidDisappear()
        }
    }

    private func widgetDidAppear() {
        if let task {
            if let imageTask = task.imageTask { imageTask.priority = task.options.priority }
            beginWaiting(task)
        }
        ticker?.resume()
        playingMayHaveChanged()
    }

    private func widgetDidDisappear() {
        endTransition()
        ticker?.pause()
        playingMayHaveChanged()
        enlargement?.task?.cancel()
        enlargement = nil
        guard let task, task.state == .loading, let imageTask = task.imageTask else { return }
        switch task.options[LoadVisibilityKey.self] {
        case .whileMapped:
            // Nothing of this attempt counts any more; the next one begins when the widget is shown again.
            _ = task.beginAttempt()
            task.imageTask = nil
            task.state = .waiting
            previews?.cancel()
            previews = nil
            stopIndicator()
            imageTask.cancel()
        case .lowPriorityWhileUnmapped: imageTask.priority = min(imageTask.priority, .low)
        case .onceMapped, .always: break
        }
    }

    private func beginWaiting(_ task: DisplayTask) {
        guard task.state == .waiting else { return }
        if !beginIfPossible(task) { startIndicator(of: task) }
    }

    /// Loads the image that is shown anew if it has fewer pixels than the widget has room for.
    private func enlargeIfNeeded() {
        guard let task, let requested = requestedSize, visibility.isMapped, task.state == .finished,
            content.kind == .image, let image = content.image,
            image.size.width < image.fullSize.width || image.size.height < image.fullSize.height,
            case .size(let size)? = sizeDemand(for: task), size.exceeds(requested),
            size.exceeds(enlargement?.size ?? requested)
        else { return }
        enlargement?.task?.cancel()
        // A widget that grows step by step is not followed at each.
        let larger = SizeDemand(
            width: max(size.width, requested.width * 5 / 4),
            height: max(size.height, requested.height * 5 / 4)
        )
        enlargement = Enlargement(size: larger)
        let imageTask = task.pipeline.loadImage(with: task.request(for: .size(larger)), on: .mainActor) { result in
            MainActor.assumeIsolated { [weak self] in
                guard let self, task === self.task, enlargement?.size == larger else { return }
                enlargement = nil
                requestedSize = larger
                if case .success(let response) = result, content.kind == .image {
                    setImage(response.image, through: .none)
                    task.response = response
                }
            }
        }
        if enlargement?.size == larger { enlargement?.task = imageTask }
    }
}

extension DisplayTask {
    /// The request of an attempt.
    func request(for demand: SlotController.Demand) -> ImageRequest {
        guard let size = demand.size else { return request }
        var request = request
        request.options.targetSize = .pixels(
            width: size.width > 0 ? size.width : nil,
            height: size.height > 0 ? size.height : nil,
            mode: .fill
        )
        return request
    }
}
#endif
