internal import CGTK
internal import Halcyon

/// A cell of a list, from its set-up to its teardown, and what it is bound to.
@MainActor
final class ListCell {
    /// The item that the cell shows.
    struct Binding {
        /// The number of the binding, so that nothing of an earlier one counts.
        let number: Int
        /// `nil` for an item without an image.
        let request: ImageRequest?
        /// A Boolean value that indicates whether the slot has been given the request.
        var hasRequest = false
    }

    let content: ImageListCell
    /// The `GtkListItem *`, which exists until the teardown.
    let listItem: UnsafeMutableRawPointer
    /// `nil` while the cell shows no item.
    var binding: Binding?
    /// The number of the last binding that was begun; 0 once the cell has lost its item.
    var lastBinding = 0
    /// What is laid over the image.
    var decorations = Decorations()
    /// The references that keep the widgets until the teardown, whatever the program does to them.
    private let widgets: [ObjectReference]

    /// - Parameter mappingDidChange: Called when the cell comes into sight, and when it no longer is.
    init(
        _ content: ImageListCell,
        _ listItem: UnsafeMutableRawPointer,
        mappingDidChange: @escaping @MainActor (ListCell) -> Void
    ) {
        self.content = content
        self.listItem = listItem
        // Takes a floating reference over.
        let parts = [content.display.object, content.label, content.overlay].compactMap(\.self)
        widgets =
            [ObjectReference(adopting: g_object_ref_sink(content.widget))]
            + parts.map { ObjectReference(retaining: $0) }
        for signal in ["map", "unmap"] {
            onSignal(content.widget, signal, after: true) { [weak self] _ in
                if let self { mappingDidChange(self) }
            }
        }
    }

    /// A Boolean value that indicates whether the cell is mapped, as are some beyond the edges of their view.
    var isMapped: Bool { gtk_widget_get_mapped(content.widget.widget) != 0 }

    /// A Boolean value that indicates whether the cell is in sight, once it is laid out.
    var isInSight: Bool { isMapped && Sight().includes(content.widget) }

    /// The item; `nil` while there is none.
    var item: ImageListItem? {
        guard let object = gtk_list_item_get_item(listItem.opaque) else { return nil }
        let position = gtk_list_item_get_position(listItem.opaque)
        guard position != GTK_INVALID_LIST_POSITION else { return nil }
        return ImageListItem(object: object, position: Int(position))
    }

    /// The nearest `GtkListView *` or `GtkGridView *` around the cell. A `GtkColumnView` has one of the former inside.
    var view: UnsafeMutableRawPointer? {
        var widget = gtk_widget_get_parent(content.widget.widget)
        while let candidate = widget {
            let pointer = UnsafeMutableRawPointer(candidate)
            if pointer.isInstance(of: gtk_list_view_get_type()) || pointer.isInstance(of: gtk_grid_view_get_type()) {
                return pointer
            }
            widget = gtk_widget_get_parent(candidate)
        }
        return nil
    }

    /// Returns whether the slot shows a placeholder, or nothing where that is `nil`, and has no request.
    func isClear(showing placeholder: (any Placeholder)?) -> Bool {
        let display = content.display
        let slot = WidgetState.existing(display.object)?.existingController(for: display.slot)
        guard let slot else { return false }
        return slot.task == nil && slot.paintable?.current?.pointer == placeholder?.paintable?.pointer
    }

    /// Returns a request as this cell would make it, so that the image is the same; `nil` while the cell has no size.
    func sized(_ request: ImageRequest, in pipeline: ImagePipeline) -> ImageRequest? {
        let display = content.display
        guard let controller = WidgetState.of(display.object).controller(for: display.slot) else { return nil }
        // It is never begun.
        let task = DisplayTask(
            request: request,
            pipeline: pipeline,
            placeholder: nil,
            progress: nil,
            completion: nil
        )
        return controller.sizeDemand(for: task).map { task.request(for: $0) }
    }
}
