#if GTK
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
    /// A Boolean value that indicates whether the slot shows the placeholder, and has no request.
    var isClear = false
    /// The references that keep both widgets until the teardown, whatever the program does to them.
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
        widgets = [
            ObjectReference(adopting: g_object_ref_sink(content.widget)),
            ObjectReference(retaining: content.display.object),
        ]
        let follower = MappingFollower(self, mappingDidChange)
        follower.connect("map", of: content.widget)
        follower.connect("unmap", of: content.widget)
    }

    /// A Boolean value that indicates whether the cell is in sight.
    var isMapped: Bool { gtk_widget_get_mapped(content.widget.widget) != 0 }

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

    /// Returns a request as this cell would make it, so that the image is the same; `nil` while the cell has no size.
    func sized(_ request: ImageRequest, in pipeline: ImagePipeline) -> ImageRequest? {
        let display = content.display
        guard let controller = WidgetState.of(display.object).controller(for: display.slot) else { return nil }
        // It is never begun.
        let task = DisplayTask(
            request: request,
            options: pipeline.completed(request.options),
            pipeline: pipeline,
            placeholder: nil,
            progress: nil,
            completion: nil
        )
        return controller.sizeDemand(for: task).map { task.request(for: $0) }
    }
}

/// Tells when a widget is mapped or unmapped, for as long as its cell exists. The widget's handlers own it.
@MainActor
private final class MappingFollower {
    private weak var cell: ListCell?
    private let onChange: @MainActor (ListCell) -> Void

    init(_ cell: ListCell, _ onChange: @escaping @MainActor (ListCell) -> Void) {
        self.cell = cell
        self.onChange = onChange
    }

    func connect(_ signal: String, of widget: UnsafeMutableRawPointer) {
        let handler: @convention(c) (gpointer?, gpointer?) -> Void = { _, data in
            let follower = Unmanaged<MappingFollower>.fromOpaque(nonnull(data)).takeUnretainedValue()
            MainActor.assumeIsolated {
                if let cell = follower.cell { follower.onChange(cell) }
            }
        }
        g_signal_connect_data(
            widget,
            signal,
            unsafeBitCast(handler, to: GCallback.self),
            Unmanaged.passRetained(self).toOpaque(),
            { data, _ in Unmanaged<MappingFollower>.fromOpaque(nonnull(data)).release() },
            G_CONNECT_AFTER
        )
    }
}
#endif
