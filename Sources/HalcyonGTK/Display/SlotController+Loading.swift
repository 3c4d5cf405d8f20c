internal import Halcyon

extension SlotController {
    /// Begins an attempt if the widget is shown, or the image is in memory.
    ///
    /// - Returns: Whether the image is there, or that of the file as it was examined last.
    func beginIfPossible(_ task: DisplayTask) -> Bool {
        guard task === self.task, task.state == .waiting, let demand = sizeDemand(for: task) else { return false }
        let request = task.request(for: demand)
        requestedSize = demand.size
        let showsExamined = showExaminedFile(request, of: task)
        // Code of the program may follow what is shown.
        guard task === self.task, task.state == .waiting else { return true }
        if !mayLoad(task) {
            if task.request.source.isExaminedFirst { return showsExamined }
            guard let response = task.pipeline.responseFromMemory(for: request) else { return false }
            imageDidLoad(response, of: task)
            return true
        }
        if task.options[WaitsForDiskKey.self], !showsExamined,
            let response = DiskWait.response(request, task, visibility)
        {
            guard task === self.task, task.state == .waiting else { return true }
            imageDidLoad(response, of: task)
            return true
        }
        // Later, memory may have the image that this load has brought.
        task.smallerImage = smallerImage(for: request, of: task)
        let attempt = DisplayAttempt(task)
        task.state = .loading
        task.isStarting = true
        let imageTask = task.pipeline.loadImage(with: request, on: .mainActor) { [weak attempt] progress in
            MainActor.assumeIsolated {
                guard let attempt, attempt.task.attempt == attempt.number else { return }
                let task = attempt.task
                task.controller?.progressDidChange(progress, of: task)
                task.report(progress)
            }
        } completion: { result in
            // The task is held until its completion handler was called.
            MainActor.assumeIsolated {
                // A load may end on another thread before this call returns. What is shown while it is under way comes
                // first in any case; an image from memory has nothing before it.
                if attempt.task.isStarting, (try? result.get())?.source != .memory {
                    Task { attempt.task.attemptDidEnd(attempt.number, with: result) }
                } else {
                    attempt.task.attemptDidEnd(attempt.number, with: result)
                }
            }
        }
        // The program may have made another call for the same meanwhile.
        let current = attempt.task
        current.isStarting = false
        guard current.attempt == attempt.number, current.state == .loading else { return true }
        current.imageTask = imageTask
        attempt.followNetwork(clock: clock)
        if !showsExamined { followPreviews(of: imageTask, current) }
        return showsExamined
    }

    /// Shows the image that memory has of a file as it was examined last: the load, which examines the file first, takes
    /// longer than a frame, and nearly always ends with the same image.
    ///
    /// - Returns: Whether there is one; `false` for sources other than files.
    private func showExaminedFile(_ request: ImageRequest, of task: DisplayTask) -> Bool {
        guard request.source.isExaminedFirst, showsPreviews(of: task),
            let response = task.pipeline.responseFromMemory(for: request)
        else { return false }
        task.showsExaminedFile = true
        show(response, of: task)
        return true
    }

    /// Returns the image of a load that is about to begin as memory has it at a smaller size, as that of a smaller widget.
    private func smallerImage(for request: ImageRequest, of task: DisplayTask) -> DecodedImage? {
        // The widget's natural size would change with the image at a size of the program's own, and with processors that
        // change the sides, which leave no way to know those of the whole image.
        guard showsPreviews(of: task), requestedSize != nil, task.options.processing.isIdentity else { return nil }
        return task.pipeline.smallerImageInMemory(for: request)
    }

    /// Shows the image of the load under way as memory had it at a smaller size.
    ///
    /// - Returns: Whether there is one.
    func showSmallerImage(of task: DisplayTask) -> Bool {
        guard task === self.task, task.state == .loading, let image = task.smallerImage else { return false }
        task.showsSmallerImage = true
        if content.kind != .preview || !shows(image) {
            setContent(paintable(for: image), kind: .preview, image: image)
        }
        return true
    }

    /// Returns whether a preview is better than what is shown: there is no image that was kept, and the preview has at least
    /// as many pixels as the image that memory had at a smaller size, if that is shown.
    private func isBetter(_ preview: ImagePreview, of task: DisplayTask) -> Bool {
        if task.keepsImage, content.kind == .image { return false }
        guard task.showsSmallerImage, content.kind == .preview, let shown = content.image else { return true }
        return preview.image.size.area >= shown.size.area
    }

    /// The load has succeeded.
    func imageDidLoad(_ response: ImageResponse, of task: DisplayTask) {
        guard task === self.task else { return }
        // It follows the calls for the same that take the place of this one.
        let attempt = task.running ?? DisplayAttempt(task)
        let state = task.state
        task.endProgress()
        endPreviews()
        stopIndicator()
        // A property that became empty may have been followed by another call, before anything of this image is shown.
        let task = attempt.task
        guard task === self.task, task.state == state else { return }
        task.response = response
        task.state = .setting
        task.mayBeInexact = response.source == .memory
        switch task.options[ImageSettingKey.self].kind {
        case .automatic:
            show(response, of: task)
            // The program may have made another call in the middle of this, as a handler of a property that was set: for
            // something else, or for the same.
            let task = attempt.task
            guard task === self.task, task.state == .setting else { return }
            loadIconSizes(of: response.image, for: task)
            if self.transitionIsRunning { transitionTask = task } else { task.finish(.success(response)) }
        case .manual:
            task.finish(.success(response))
        case .custom(let custom):
            let placeholder = placeholderSetting
            setting = Task { [weak self] in
                await placeholder?.value
                // Another call may have come while the placeholder was being set.
                guard !Task.isCancelled else { return }
                await custom.set(response)
                // An equal call may have taken the place of the one that began it.
                guard let self, !Task.isCancelled, let task = self.task, task.state == .setting else { return }
                (setting, placeholderSetting) = (nil, nil)
                task.finish(.success(response))
            }
        }
    }

    /// The load has failed.
    func loadDidFail(_ error: any Error, of task: DisplayTask) {
        guard task === self.task else { return }
        let attempt = task.running
        task.endProgress()
        endPreviews()
        stopIndicator()
        let task = attempt?.task ?? task
        guard task === self.task, task.state == .loading else { return }
        if !(error is CancellationError) { showFailure(of: task) }
        // The program may have made another call for the same in the middle of this.
        let last = attempt?.task ?? task
        last.failure = DisplayFailure(
            error,
            of: last.request(for: .imageSize()),
            in: last.pipeline,
            networkIsBack: attempt?.network?.isBack ?? false
        )
        guard let placeholder = placeholderSetting, last === self.task, last.state != .finished else {
            return last.finish(.failure(error))
        }
        last.state = .setting
        setting = Task { [weak self] in
            await placeholder.value
            guard let self, !Task.isCancelled, let task = self.task, task.state == .setting else { return }
            (setting, placeholderSetting) = (nil, nil)
            task.finish(.failure(error))
        }
    }

    private func followPreviews(of imageTask: ImageTask, _ task: DisplayTask) {
        guard showsPreviews(of: task), !task.options.previews.isEmpty || task.options.progressive.isActive else {
            return
        }
        previews = Task { [weak self] in
            for await preview in imageTask.previews {
                guard let self, let task = self.task, task.imageTask === imageTask, task.state == .loading else {
                    return
                }
                if isBetter(preview, of: task) { showPreview(preview) }
            }
        }
    }
}

extension DisplayTask {
    /// An attempt has ended, of a task that counts or was superseded and went on.
    func attemptDidEnd(_ attempt: Int, with result: Result<ImageResponse, any Error>) {
        guard attempt == self.attempt, state == .loading else { return }
        imageTask = nil
        guard let controller else {
            return finish(.failure(DisplayError.superseded(result)))
        }
        switch result {
        case .success(let response): controller.imageDidLoad(response, of: self)
        case .failure(let error): controller.loadDidFail(error, of: self)
        }
    }

    /// Another call has taken the slot, or the slot has ended.
    ///
    /// - Parameters:
    ///   - next: The load of that call, which this one's work is left to where they share it. Default: none.
    ///   - isLater: Whether the completion handler is called later, because the widget is being finalised. Default:
    ///     `false`.
    func supersede(by next: ImageTask? = nil, isLater: Bool = false) {
        guard state != .finished else { return }
        endProgress()
        let policy = options[SupersededPolicyKey.self]
        if state == .loading, let imageTask {
            imageTask.supersede(by: next, policy: policy)
            // The completion handler is called at the end of the load.
            if policy != .cancel { return }
        }
        _ = beginAttempt()
        imageTask = nil
        let result = resultOfSuperseded
        if isLater { Task { finish(result) } } else { finish(result) }
    }

    /// The result of a call that another one takes the place of. What has been shown, and only its transition was under
    /// way, has succeeded.
    var resultOfSuperseded: Result<ImageResponse, any Error> {
        if wasShown, let response { return .success(response) }
        return .failure(DisplayError.superseded(response.map(Result.success)))
    }
}
