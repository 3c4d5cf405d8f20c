internal import CGTK
public import FoundationEssentials
public import Halcyon

/// Makes the cells of a `GtkListView`, a `GtkGridView` or the column of a `GtkColumnView`, and loads their images.
///
/// ```swift
/// let photos = ImageListModel(album.photos)
/// let factory = ImageListFactory(of: Photo.self) { photo, _ in ImageRequest(photo.url) }
/// let selection = gtk_no_selection_new(OpaquePointer(photos.passRetained()))
/// let grid = gtk_grid_view_new(selection, OpaquePointer(factory.passRetained()))
/// ```
///
/// A cell loads its image while it is in sight, in the pixels that it has room for, and drops it when GTK gives the cell
/// to another item. GTK keeps several times as many cells as are in sight: the others load nothing, and those further
/// away than a page hold no image either. What comes into sight next, in the direction of the scrolling, is prefetched
/// into memory at low priority; what no longer does is cancelled.
///
/// All of this belongs to the `GtkListItemFactory`, and so to the views that use it: it ends with the last of them and
/// this object. Closures that hold such a view keep it forever.
@MainActor
public final class ImageListFactory {
    private let reference: ObjectReference

    /// Creates a factory.
    ///
    /// - Parameters:
    ///   - configuration: Default: pictures of 96 by 96 points.
    ///   - request: Returns the source and the options of an item's image; `nil` for an item without one. Called when
    ///     an item gets a cell, and when it is prefetched.
    public init(
        _ configuration: Configuration = Configuration(),
        request: @escaping @MainActor (ImageListItem) -> ImageRequest?
    ) {
        reference = ListBinder.makeFactory(configuration, request)
    }

    /// Creates a factory for a list of Swift values.
    ///
    /// - Parameters:
    ///   - type: The type of the elements of an ``ImageListModel``. Items of another type have no image.
    ///   - configuration: Default: pictures of 96 by 96 points.
    ///   - request: Returns the source and the options of the image of an element, which has this position; `nil` for
    ///     one without an image.
    public convenience init<Element>(
        of type: Element.Type,
        _ configuration: Configuration = Configuration(),
        request: @escaping @MainActor (Element, Int) -> ImageRequest?
    ) {
        self.init(configuration) { item in item.element(type).flatMap { request($0, item.position) } }
    }

    /// Creates a factory for items that each have a URL.
    ///
    /// - Parameters:
    ///   - configuration: Default: pictures of 96 by 96 points.
    ///   - options: The changes to the options of the pipeline for all images.
    ///   - url: Returns the URL of an item's image; `nil` for an item without one.
    public convenience init(
        _ configuration: Configuration = Configuration(),
        options: [ImageOption],
        url: @escaping @MainActor (ImageListItem) -> URL?
    ) {
        self.init(configuration) { item in url(item).map { ImageRequest($0, options: options) } }
    }

    /// The `GtkListItemFactory *`, which lives at least as long as this object.
    public var pointer: UnsafeMutableRawPointer { reference.pointer }

    /// The cells in sight, or just beyond the edge, with their items, in the order of their positions. Cells of several
    /// views that use this factory are all among them.
    public var visibleCells: [(item: ImageListItem, cell: ImageListCell)] {
        let cells = ListBinder.of(reference.pointer)?.cells.values.filter { $0.binding != nil && $0.isMapped } ?? []
        return cells.compactMap { cell in cell.item.map { (item: $0, cell: cell.content) } }
            .sorted { $0.item.position < $1.item.position }
    }

    /// Returns the `GtkListItemFactory *` with a reference for the caller, which the constructors of views take over.
    public func passRetained() -> UnsafeMutableRawPointer { g_object_ref(reference.pointer) }
}
