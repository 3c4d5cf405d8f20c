internal import CGTK
internal import Halcyon

/// The cells of a factory, and the images that they show. It belongs to the factory, and ends with it.
@MainActor
final class ListBinder {
    let configuration: ImageListFactory.Configuration
    let request: @MainActor (ImageListItem) -> ImageRequest?
    /// The placeholder, of which one texture serves all cells.
    let placeholder: (any Placeholder)?
    /// The cells that are set up, by their `GtkListItem *`.
    private(set) var cells: [UnsafeMutableRawPointer: ListCell] = [:]
    /// The parts in sight of the views that use the factory, by view. A view is in use only while it has cells here.
    var viewports: [UnsafeMutableRawPointer: ListViewport] = [:]
    /// The number of the last binding.
    var lastBinding = 0
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
        // An animated image plays.
        placeholder = configuration.placeholder as? DecodedImage ?? configuration.placeholder?.paintable
    }

    private func setUp(_ listItem: UnsafeMutableRawPointer) {
        let cell = ListCell(configuration.makeCell(), listItem) { [weak self] in self?.mappingDidChange($0) }
        cells[listItem] = cell
        gtk_list_item_set_child(listItem.opaque, cell.content.widget.widget)
    }

    private func tearDown(_ listItem: UnsafeMutableRawPointer) {
        unbind(listItem)
        guard let cell = cells.removeValue(forKey: listItem) else { return }
        cell.content.display.remove()
    }

    /// Brings the viewports up to date after the next frame, however many cells change in it.
    func scheduleUpdate() {
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
