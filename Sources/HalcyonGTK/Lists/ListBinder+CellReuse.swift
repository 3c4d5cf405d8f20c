internal import Halcyon

/// The images of cells that are given one item after another: what belongs to an earlier item of a cell is cancelled, or
/// comes to nothing.
extension ListBinder {
    func bind(_ listItem: UnsafeMutableRawPointer) {
        guard let cell = cells[listItem], let item = cell.item else { return }
        // Code of the program may take the item out of the model.
        let kept = ObjectReference(retaining: item.object)
        defer { withExtendedLifetime(kept) {} }
        lastBinding += 1
        let number = lastBinding
        cell.lastBinding = number
        let request = request(item)
        let title = configuration.title?(item)
        // Meanwhile other cells may have been bound, or this one again.
        guard !hasEnded, cells[listItem] === cell, cell.lastBinding == number else { return }
        cell.binding = ListCell.Binding(number: number, request: request)
        if configuration.title != nil { cell.showTitle(title) }
        let visibility = request.map { configuration.pipeline.completed($0).options[LoadVisibilityKey.self] }
        // A cell is usually given its item out of sight, and comes into sight when it is laid out.
        let beginsNow = cell.isMapped || visibility == .always
        if request == nil || !beginsNow { clear(cell) }
        scheduleUpdate()
        guard cell.binding?.number == number else { return }
        // Before an image from memory completes the load.
        configuration.configure?(cell.content, item)
        guard beginsNow, cell.binding?.number == number, cell.binding?.hasRequest == false else { return }
        beginLoading(cell)
    }

    func unbind(_ listItem: UnsafeMutableRawPointer) {
        guard let cell = cells[listItem] else { return }
        cell.lastBinding = 0
        guard cell.binding != nil else { return }
        cell.binding = nil
        clear(cell)
        scheduleUpdate()
        configuration.reset?(cell.content)
    }

    func mappingDidChange(_ cell: ListCell) {
        if cell.isMapped, let binding = cell.binding, !binding.hasRequest { beginLoading(cell) }
        scheduleUpdate()
    }

    /// Gives a cell's slot the request of its item. Where there is none, the cell was cleared before the program has filled
    /// it in.
    private func beginLoading(_ cell: ListCell) {
        guard let binding = cell.binding else { return }
        cell.binding?.hasRequest = true
        guard let request = binding.request else { return }
        cell.removeDecorations()
        cell.content.display.setImage(
            with: request,
            placeholder: placeholder,
            pipeline: configuration.pipeline,
            owner: .init(
                onRestart: { [weak self, weak cell] in
                    if let self, let cell { removeFailure(of: cell, binding.number) }
                },
                onEnd: { [weak self, weak cell] result in
                    if let self, let cell { loadDidEnd(binding.number, in: cell, with: result) }
                }
            ),
            startsAnew: true
        )?.keepsHandlers = true
    }

    /// The load of a binding has ended, or was superseded.
    private func loadDidEnd(_ number: Int, in cell: ListCell, with result: Result<ImageResponse, any Error>) {
        guard isLoaded(cell, number) else { return }
        switch result {
        case .success(let response):
            let badge = configuration.badge?(response)
            guard isLoaded(cell, number) else { return }
            cell.showBadge(badge)
        case .failure(let error):
            if error.isEndByProgram { break }
            let child = cell.content.overlay.flatMap { _ in
                configuration.failure.makeWidget(for: error) { [weak self, weak cell] in
                    // A button does not go while GTK works on its click.
                    onNextTurn { [weak self, weak cell] in
                        if let self, let cell { loadAgain(cell, number) }
                    }
                }
            }
            guard isLoaded(cell, number) else { return }
            cell.showFailure(child)
        }
        configuration.completion?(cell.content, result)
    }

    private func loadAgain(_ cell: ListCell, _ number: Int) {
        if removeFailure(of: cell, number) { beginLoading(cell) }
    }

    /// Removes the failure child of a cell.
    ///
    /// - Returns: Whether there was one, and the cell still shows the item of the binding.
    @discardableResult
    private func removeFailure(of cell: ListCell, _ number: Int) -> Bool {
        guard isLoaded(cell, number), cell.decorations.failure != nil else { return false }
        // Handlers of the program at the focus may take the item away.
        cell.moveFocusOutOfFailure()
        guard isLoaded(cell, number) else { return false }
        cell.removeDecorations()
        return isLoaded(cell, number)
    }

    /// Returns whether a cell shows the item of a binding still, and its slot has been given the request.
    private func isLoaded(_ cell: ListCell, _ number: Int) -> Bool {
        !hasEnded && cell.binding?.number == number && cell.binding?.hasRequest == true
    }

    /// Cancels the load of a cell, which shows the placeholder again.
    private func clear(_ cell: ListCell) {
        cell.removeDecorations()
        guard !cell.isClear(showing: placeholder) else { return }
        cell.content.display.setImage(
            with: ImageRequest?.none,
            placeholder: placeholder,
            pipeline: configuration.pipeline
        )
    }

    /// Takes the image from a cell that is far out of sight, until it comes back.
    func dropImage(of cell: ListCell) {
        cell.binding?.hasRequest = false
        clear(cell)
    }
}
