internal import CGTK
internal import Halcyon

extension RemoteImageController {
    private var display: ImageDisplay { ImageDisplay(picture.pointer) }

    /// - Parameter text: The source as it was given, where it was as a text. Default: `nil`.
    func change(to source: Source?, _ options: ImageRequest.Options, text: String? = nil) {
        let request = source.map { ImageRequest($0, options) }
        let isSame =
            request == self.request || followsLoad && request.map { slot.isAsked(for: $0, in: pipeline) } ?? false
        let earlier = uri
        self.text = text ?? (source == self.source ? self.text : nil)
        self.source = source
        self.options = options
        let isOther = uri != earlier
        // The slot may have been asked for it by the program.
        if !isSame { load(startsAnew: false) }
        if isOther { notify("uri") }
    }

    func change(to pipeline: ImagePipeline) {
        guard pipeline !== self.pipeline else { return }
        self.pipeline = pipeline
        load()
    }

    func reload() {
        guard !state.isLoading, source != nil else { return }
        load()
    }

    /// A Boolean value that indicates whether the last load of the slot is the widget's own, or that of an equal call.
    private var followsLoad: Bool { slot.task?.owner != nil }

    /// Begins the load of the present request, which supersedes the one before.
    ///
    /// - Parameter startsAnew: Whether it begins anew also if the program has asked the slot for the same. Default: `true`.
    func load(startsAnew: Bool = true) {
        guard overlay != nil else { return }
        loadNumber += 1
        let number = loadNumber
        endFade()
        followSlot()
        removeFailureChild()
        // Handlers of the program at its children may have begun another load, or ended the widget.
        guard number == loadNumber, overlay != nil else { return }
        guard let request else {
            state = .empty
            updateChildren()
            guard number == loadNumber, overlay != nil else { return }
            display.setImage(with: nil as ImageRequest?, placeholder: emptyContent)
            return
        }
        state = .loading(ImageProgress())
        updateChildren()
        guard number == loadNumber, overlay != nil else { return }
        display.setImage(
            with: request,
            placeholder: emptyContent,
            pipeline: pipeline,
            owner: .init(
                onProgress: { [weak self] in self?.progressDidChange($0, of: number) },
                onRestart: { [weak self] in self?.loadDidRestart(number) },
                onEnd: { [weak self] in self?.loadDidEnd(with: $0, number) }
            ),
            startsAnew: startsAnew
        )?.keepsHandlers = true
        guard number == loadNumber else { return }
        updateChildren()
        showProgressInPlaceholder()
    }

    /// Something else is shown. Called in the middle of the work of the slot: no code of the program may run.
    func contentDidChange() {
        guard overlay != nil else { return }
        if slot.content.kind == .image, let task = slot.task, task.state == .setting, let response = task.response {
            state = .loaded(response)
            // Of a load that the program has begun for the picture itself.
            removeFailureChild()
            beginFade(to: response.image)
        }
        updateChildren()
    }

    /// A call of the program has begun the load anew, as after its failure.
    private func loadDidRestart(_ number: Int) {
        guard number == loadNumber, overlay != nil else { return }
        endFade()
        removeFailureChild()
        // Handlers of the program at it may have begun another load, or ended the widget.
        guard number == loadNumber, overlay != nil, slot.task?.isUnderWay == true else { return }
        state = .loading(slot.task?.progress ?? ImageProgress())
        updateChildren()
        guard number == loadNumber else { return }
        showProgressInPlaceholder()
    }

    private func progressDidChange(_ progress: ImageProgress, of number: Int) {
        guard number == loadNumber, state.isLoading else { return }
        state = .loading(progress)
        showProgressInPlaceholder()
        guard number == loadNumber else { return }
        configuration.onProgress?(progress)
    }

    private func showProgressInPlaceholder() {
        guard let placeholder, case .loading(let progress) = state else { return }
        configuration.placeholder.show(progress, in: placeholder.pointer)
    }

    private func loadDidEnd(with result: Result<ImageResponse, any Error>, _ number: Int) {
        guard number == loadNumber, overlay != nil else { return }
        endFade()
        switch result {
        case .success(let response):
            // An image that the slot shows is known already, and maybe followed by one of the program's own.
            if state.isLoading { state = .loaded(response) }
            returnsFocus = false
            updateChildren()
            onNextTurn { [weak self] in self?.reportSuccess(response, number) }
        case .failure(let error) where error.isEndByProgram:
            if state.isLoading { state = .cancelled }
            updateChildren()
        case .failure(let error):
            state = .failed(error)
            // The failure child is laid over an earlier image of the same source, but not over that of another.
            let keepsImage = slot.content.kind == .image && slot.task?.keepsImage == true
            if configuration.failure != .none, !keepsImage { showEmptyContent() }
            updateChildren()
            guard number == loadNumber else { return }
            let chain = slot.task?.chain ?? CallChain()
            onNextTurn { [weak self] in self?.reportFailure(error, number, chain) }
            makeFailureChild(for: error)
        }
    }

    private func reportSuccess(_ response: ImageResponse, _ number: Int) {
        guard number == loadNumber, !state.isLoading else { return }
        configuration.contentAction?.body(picture.pointer)
        guard number == loadNumber, !state.isLoading else { return }
        configuration.onSuccess?(response)
    }

    private func reportFailure(_ error: any Error, _ number: Int, _ chain: CallChain) {
        guard number == loadNumber, !state.isLoading else { return }
        chain.call { configuration.onFailure?(error) }
    }

    /// A Boolean value that indicates whether the load begins again when the widget is shown the next time.
    var restarts: Bool {
        guard configuration.restartsOnAppearance else { return false }
        return switch state {
        case .failed, .cancelled: true
        case .empty, .loading, .loaded: false
        }
    }

    /// The widget is shown.
    func widgetDidAppear() {
        // Without a load of its own, the program has shown something else since.
        if restarts, followsLoad { load() }
    }

    /// The widget has come into sight, as by scrolling, or is no longer in it, or things may move in it or no longer do.
    func visibilityDidChange(_ change: WidgetVisibility.Change) {
        guard overlay != nil else { return }
        updateSpinner()
        if change == .sight, slot.visibility.isInSight { widgetDidAppear() }
    }
}
