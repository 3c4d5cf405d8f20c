internal import CGTK
internal import Halcyon
internal import HalcyonGTK

/// The grid of all images, or of those that a search leaves.
@MainActor
final class GridPage {
    let widget: Widget
    /// Called with the position of an image that the person opens.
    var onOpen: (Int) -> Void = { _ in }
    private let grid: Widget
    private let factory: ImageListFactory

    /// The page, as cells know it; the view owns the cells, and the page uses the view.
    @MainActor
    private final class Link {
        weak var page: GridPage?
    }

    init(_ collection: ImageCollection, pipeline: ImagePipeline) {
        let link = Link()
        factory = ImageListFactory(of: GalleryItem.self, Self.configuration(pipeline, link)) { item, _ in
            item.cellRequest
        }
        // The view takes over references to both.
        g_object_ref(collection.selection.raw)
        grid = nonnull(gtk_grid_view_new(collection.selection, factory.passRetained().opaque))
        gtk_grid_view_set_min_columns(grid.opaque, 1)
        gtk_grid_view_set_max_columns(grid.opaque, 16)
        cgtk_set_accessible_label(grid, "Images")
        widget = nonnull(gtk_scrolled_window_new())
        gtk_scrolled_window_set_policy(widget.opaque, GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC)
        gtk_scrolled_window_set_child(widget.opaque, grid)
        gtk_widget_add_css_class(widget, "grid")
        expand(widget)
        onSignal(grid, "activate") { [weak self] call in self?.onOpen(Int(call.uint(1))) }
        link.page = self
    }

    private static func configuration(_ pipeline: ImagePipeline, _ link: Link) -> ImageListFactory.Configuration {
        var configuration = ImageListFactory.Configuration()
        let size = GalleryItem.thumbnailSize
        configuration.makeCell = {
            let cell = ImageListCell.titled(width: size.width, height: size.height, contentFit: .scaleDown)
            addClick(to: cell.widget) { link.page?.open($0) }
            return cell
        }
        configuration.title = { $0.element(GalleryItem.self)?.name }
        configuration.failure = .widget { error, retry in makeFailure(error, retry).raw }
        configuration.badge = ImageListBadge.ofAnimation
        configuration.pipeline = pipeline
        return configuration
    }

    /// Opens images with one click. That of the view itself would select what is under the pointer, too, also where
    /// a person uses the keyboard and the grid scrolls below it.
    private static func addClick(
        to cell: UnsafeMutableRawPointer,
        _ open: @escaping @MainActor (UnsafeMutableRawPointer) -> Void
    ) {
        let click = nonnull(gtk_gesture_click_new())
        onSignal(click, "released") { call in
            if call.int(1) == 1 { open(cell) }
        }
        gtk_widget_add_controller(cell.widget, click)
    }

    private func open(_ widget: UnsafeMutableRawPointer) {
        guard let position = visibleCells.first(where: { $0.cell.widget == widget })?.item.position else { return }
        onOpen(position)
    }

    /// Returns what a cell shows of a failure.
    private static func makeFailure(_ error: any Error, _ retry: @escaping @MainActor () -> Void) -> Widget {
        let button = makeTextButton("Try Again", classes: ["small"])
        onSignal(button, "clicked") { _ in retry() }
        center(button)
        let box = makeBox(
            GTK_ORIENTATION_VERTICAL,
            spacing: 8,
            classes: ["cell-failure"],
            [makeIcon("image-missing-symbolic", size: 32, classes: ["dim-label"]), button]
        )
        center(box)
        gtk_widget_set_tooltip_text(box, FailureView.text(for: error))
        return box
    }

    /// The cells that can be seen, in order.
    var visibleCells: [(item: ImageListItem, cell: ImageListCell)] { factory.visibleCells }

    /// A Boolean value that indicates whether all cells that can be seen show what they will show.
    var isSettled: Bool {
        let cells = visibleCells
        return !cells.isEmpty && cells.allSatisfy { $0.cell.display.task?.state == .finished }
    }

    /// The thumbnail that a cell shows of an image; `nil` if none does.
    func thumbnail(of item: GalleryItem) -> DecodedImage? {
        visibleCells.first { $0.item.element(GalleryItem.self) === item }?.cell.display.image
    }

    func focus() { gtk_widget_grab_focus(grid) }

    /// Scrolls to an image, and gives it the focus.
    func reveal(_ position: Int) {
        cgtk_reveal_in_grid(grid, guint(position))
    }
}
