internal import CGTK
internal import Halcyon

/// The cells of a factory, and the images that they show. It belongs to the factory, and ends with it.
@MainActor
final class ListBinder {
    let configuration: ImageListFactory.Configuration
    let request: @MainActor (ImageListItem) -> ImageRequest?
    /// The placeholder, of which one texture serves all cells.
    private let placeholder: Paintable?
    /// The cells that are set up, by their `GtkListItem *`.
    private(set) var cells: [UnsafeMutableRawPointer: ListCell] = [:]
    /// The parts in sight of the views that use the factory, by view. A view is in use only while it has cells here.
    var viewports: [UnsafeMutableRawPointer: ListViewport] = [:]
    /// The number of the last binding.
    private var lastBinding = 0
    /// The source that will bring the viewports up to date; 0 if there is none.
    private var update: guint = 0
    private(set) var hasEnded = false

    private static let key = g_quark_from_static_string("halcyon-list-binder")

    /// Returns a new `GtkListItemFactory`.
    static func makeFactory(
        _ configuration: ImageListFactory.Configuration,
        _ request: @escaping @MainActor (ImageListItem) -> ImageRequest?
    ) -> ObjectReference {
        let factory = ObjectReference(adopting: UnsafeMutableRawPointer(nonnull(gtk_signal_list_item_factory_new())))
        let binder = ListBinder(configuration, request)
        // The handlers go before it does.
        let data = Unmanaged.passRetained(binder).toOpaque()
        g_object_set_qdata_full(factory.pointer.object, key, data) { pointer in
            let binder = Unmanaged<ListBinder>.fromOpaque(nonnull(pointer))
            MainActor.assumeIsolated { binder.takeUnretainedValue().end() }
            binder.release()
        }
        let setup: Handler = { _, item, data in ListBinder.with(data, item) { $0.setUp($1) } }
        let bind: Handler = { _, item, data in ListBinder.with(data, item) { $0.bind($1) } }
        let unbind: Handler = { _, item, data in ListBinder.with(data, item) { $0.unbind($1) } }
        let teardown: Handler = { _, item, data in ListBinder.with(data, item) { $0.tearDown($1) } }
        connect(factory.pointer, "setup", setup, data)
        connect(factory.pointer, "bind", bind, data)
        connect(factory.pointer, "unbind", unbind, data)
        connect(factory.pointer, "teardown", teardown, data)
        return factory
    }

    /// The binder of a factory.
    static func of(_ factory: UnsafeMutableRawPointer) -> ListBinder? {
        g_object_get_qdata(factory.object, key).map { Unmanaged<ListBinder>.fromOpaque($0).takeUnretainedValue() }
    }

    private typealias Handler = @convention(c) (gpointer?, gpointer?, gpointer?) -> Void

    private nonisolated static func with(
        _ data: gpointer?,
        _ item: gpointer?,
        _ body: @MainActor (ListBinder, UnsafeMutableRawPointer) -> Void
    ) {
        let binder = Unmanaged<ListBinder>.fromOpaque(nonnull(data)).takeUnretainedValue()
        // GTK calls factories on the main thread, and the item does not leave this call.
        nonisolated(unsafe) let item = nonnull(item)
        MainActor.assumeIsolated {
            // A factory of headers gets items of another type.
            guard item.isInstance(of: gtk_list_item_get_type()) else { return }
            body(binder, item)
        }
    }

    private init(
        _ configuration: ImageListFactory.Configuration,
        _ request: @escaping @MainActor (ImageListItem) -> ImageRequest?
    ) {
        self.configuration = configuration
        self.request = request
        placeholder = configuration.placeholder?.paintable
    }

    private func setUp(_ listItem: UnsafeMutableRawPointer) {
        let cell = ListCell(configuration.makeCell(), listItem) { [weak self] in self?.mappingDidChange($0) }
        cells[listItem] = cell
        gtk_list_item_set_child(listItem.opaque, cell.content.widget.widget)
    }

    private func bind(_ listItem: UnsafeMutableRawPointer) {
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
        let visibility = request.map { configuration.pipeline.completed($0.options)[LoadVisibilityKey.self] }
        // A cell is usually given its item out of sight, and comes into sight when it is laid out.
        let beginsNow = cell.isMapped || visibility == .always
        if request == nil, beginsNow { beginLoading(cell) } else if !beginsNow { clear(cell) }
        scheduleUpdate()
        guard cell.binding?.number == number else { return }
        // Before an image from memory completes the load.
        configuration.configure?(cell.content, item)
        guard beginsNow, cell.binding?.number == number, cell.binding?.hasRequest == false else { return }
        beginLoading(cell)
    }

    private func unbind(_ listItem: UnsafeMutableRawPointer) {
        guard let cell = cells[listItem] else { return }
        cell.lastBinding = 0
        guard cell.binding != nil else { return }
        cell.binding = nil
        clear(cell)
        scheduleUpdate()
        configuration.reset?(cell.content)
    }

    private func tearDown(_ listItem: UnsafeMutableRawPointer) {
        unbind(listItem)
        guard let cell = cells.removeValue(forKey: listItem) else { return }
        cell.content.display.remove()
    }

    private func mappingDidChange(_ cell: ListCell) {
        if cell.isMapped, let binding = cell.binding, !binding.hasRequest { beginLoading(cell) }
        scheduleUpdate()
    }

    /// Gives a cell's slot the request of its item.
    private func beginLoading(_ cell: ListCell) {
        guard let binding = cell.binding else { return }
        cell.binding?.hasRequest = true
        guard let request = binding.request else { return clear(cell) }
        cell.isClear = false
        cell.removeDecorations()
        let completion: ImageDisplay.Completion = { [weak self, weak cell] result in
            if let self, let cell { loadDidEnd(binding.number, in: cell, with: result) }
        }
        cell.content.display.setImage(
            with: request,
            placeholder: placeholder,
            pipeline: configuration.pipeline,
            completion: completion,
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
        guard isLoaded(cell, number), cell.decorations.failure != nil else { return }
        cell.moveFocusOutOfFailure()
        if isLoaded(cell, number) { beginLoading(cell) }
    }

    /// Returns whether a cell shows the item of a binding still, and its slot has been given the request.
    private func isLoaded(_ cell: ListCell, _ number: Int) -> Bool {
        !hasEnded && cell.binding?.number == number && cell.binding?.hasRequest == true
    }

    /// Cancels the load of a cell, which shows the placeholder again.
    private func clear(_ cell: ListCell) {
        cell.removeDecorations()
        guard !cell.isClear else { return }
        cell.isClear = true
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

    /// Brings the viewports up to date after the next frame, however many cells change in it.
    private func scheduleUpdate() {
        guard update == 0, !hasEnded else { return }
        update = g_idle_add(
            { data in
                let binder = Unmanaged<ListBinder>.fromOpaque(nonnull(data)).takeUnretainedValue()
                MainActor.assumeIsolated {
                    binder.update = 0
                    binder.updateViewports()
                }
                return false.gboolean
            },
            Unmanaged.passUnretained(self).toOpaque()
        )
    }

    /// The factory is being finalised.
    private func end() {
        hasEnded = true
        if update != 0 { g_source_remove(update) }
        update = 0
        for viewport in viewports.values { viewport.end() }
        viewports = [:]
        cells = [:]
    }
}
