#if GTK
internal import CGTK
internal import Halcyon

/// Makes the cells of the grid, and gives each the image that it shows at the moment.
@MainActor
final class CellFactory {
    /// The `GtkListItemFactory`, which a grid view takes over.
    let factory: OpaquePointer
    private var cells: [WeakCell] = []
    private static let attachment = AttachedObject<GridCell>(name: "gallery-cell")

    private struct WeakCell {
        weak var cell: GridCell?
    }

    init(pipeline: ImagePipeline) {
        factory = nonnull(gtk_signal_list_item_factory_new())
        connect(factory, "setup") { [weak self] call in
            guard let listItem = call.object(1) else { return }
            let cell = GridCell(pipeline: pipeline)
            Self.attachment.attach(cell, to: cell.widget.opaque)
            gtk_list_item_set_child(listItem, cell.widget)
            self?.cells.removeAll { $0.cell == nil }
            self?.cells.append(WeakCell(cell: cell))
        }
        connect(factory, "bind") { call in
            guard let listItem = call.object(1), let object = gtk_list_item_get_item(listItem) else { return }
            Self.cell(of: listItem)?.show(ImageCollection.item(of: OpaquePointer(object)))
        }
        connect(factory, "unbind") { call in
            guard let listItem = call.object(1) else { return }
            Self.cell(of: listItem)?.show(nil)
        }
    }

    /// A Boolean value that indicates whether all cells that can be seen show what they will show.
    var isSettled: Bool {
        let shown = cells.compactMap(\.cell).filter(\.isShown)
        return !shown.isEmpty && shown.allSatisfy(\.isSettled)
    }

    /// The image that a cell shows of an item; `nil` if none does.
    func image(of item: GalleryItem) -> DecodedImage? {
        cells.lazy.compactMap(\.cell).first { $0.item === item }?.image
    }

    private static func cell(of listItem: OpaquePointer) -> GridCell? {
        gtk_list_item_get_child(listItem).flatMap { attachment.value(of: $0.opaque) }
    }
}
#endif
