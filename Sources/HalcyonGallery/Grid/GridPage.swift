#if GTK
internal import CGTK
internal import Halcyon

/// The grid of all images, or of those that a search leaves.
@MainActor
final class GridPage {
    let widget: Widget
    /// Called with the position of an image that the person opens.
    var onOpen: (Int) -> Void = { _ in }
    private let grid: Widget
    private let cells: CellFactory

    init(_ collection: ImageCollection, pipeline: ImagePipeline) {
        cells = CellFactory(pipeline: pipeline)
        // The view takes over references to both.
        g_object_ref(collection.selection.raw)
        let model = collection.selection
        grid = nonnull(gtk_grid_view_new(model, cells.factory))
        gtk_grid_view_set_min_columns(grid.opaque, 2)
        gtk_grid_view_set_max_columns(grid.opaque, 16)
        gtk_grid_view_set_single_click_activate(grid.opaque, true.gboolean)
        cgtk_set_accessible_label(grid, "Images")
        widget = nonnull(gtk_scrolled_window_new())
        gtk_scrolled_window_set_policy(widget.opaque, GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC)
        gtk_scrolled_window_set_child(widget.opaque, grid)
        gtk_widget_add_css_class(widget, "grid")
        expand(widget)
        connect(grid, "activate") { [weak self] call in self?.onOpen(Int(call.uint(1))) }
    }

    /// A Boolean value that indicates whether all cells that can be seen show what they will show.
    var isSettled: Bool { cells.isSettled }

    /// The thumbnail that a cell shows of an image; `nil` if none does.
    func thumbnail(of item: GalleryItem) -> DecodedImage? { cells.image(of: item) }

    func focus() { gtk_widget_grab_focus(grid) }

    /// Scrolls to an image, and gives it the focus.
    func reveal(_ position: Int) {
        gtk_widget_activate_action_variant(grid, "list.scroll-to-item", g_variant_new_uint32(guint32(position)))
    }
}
#endif
