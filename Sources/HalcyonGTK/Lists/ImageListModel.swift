internal import CGTK

/// A list of Swift values that the views of GTK show: a `GListModel` whose items stand for them.
///
/// ```swift
/// let photos = ImageListModel(album.photos)
/// let factory = ImageListFactory(of: Photo.self) { photo, _ in ImageRequest(photo.url) }
/// let grid = gtk_grid_view_new(gtk_no_selection_new(OpaquePointer(photos.passRetained())), …)
///
/// photos.append(contentsOf: more)
/// ```
///
/// The item of an element is made when a view asks for it, and stays the same for as long as something holds it.
@MainActor
public final class ImageListModel<Element> {
    private let storage: ListModelStorage
    private let reference: ObjectReference

    /// Creates a list without elements.
    public convenience init() { self.init(EmptyCollection()) }

    /// Creates a list of values.
    public init(_ elements: some Sequence<Element>) {
        storage = ListModelStorage(elements.map { ListRow($0) })
        reference = ObjectReference(adopting: storage.makeModel())
    }

    /// The `GListModel *`, which lives at least as long as this object.
    public var pointer: UnsafeMutableRawPointer { reference.pointer }

    /// Returns the `GListModel *` with a reference for the caller, which the constructors of selections and of other
    /// models take over.
    public func passRetained() -> UnsafeMutableRawPointer { g_object_ref(reference.pointer) }

    /// The number of elements.
    public var count: Int { storage.rows.count }

    /// A Boolean value that indicates whether there are no elements.
    public var isEmpty: Bool { storage.rows.isEmpty }

    /// The element at a position, from 0 to `count - 1`.
    public subscript(position: Int) -> Element { Self.element(of: storage.rows[position]) }

    /// All elements. Setting them replaces every one. Complexity: O(*n*).
    public var elements: [Element] {
        get { storage.rows.map(Self.element(of:)) }
        set { replaceSubrange(0..<count, with: newValue) }
    }

    /// Returns the element that an item of such a list stands for; `nil` for any other object, and for an element of
    /// another type.
    ///
    /// - Parameter item: A `GObject *`.
    public static func element(of item: UnsafeMutableRawPointer) -> Element? {
        ListRow.of(item)?.value as? Element
    }

    /// Replaces the elements in a range of positions, of which views update no others.
    ///
    /// - Parameters:
    ///   - range: Positions from 0 to `count`.
    ///   - elements: Any number of elements.
    public func replaceSubrange(_ range: Range<Int>, with elements: some Sequence<Element>) {
        let rows = elements.map { ListRow($0) }
        guard !range.isEmpty || !rows.isEmpty else { return }
        storage.rows.replaceSubrange(range, with: rows)
        // Views ask for the new elements in this call, and code of the program may run there.
        g_list_model_items_changed(
            reference.opaque,
            guint(range.lowerBound),
            guint(range.count),
            guint(rows.count)
        )
    }

    /// Adds elements at the end.
    public func append(contentsOf elements: some Sequence<Element>) { replaceSubrange(count..<count, with: elements) }

    /// Adds an element at the end.
    public func append(_ element: Element) { append(contentsOf: CollectionOfOne(element)) }

    /// Adds an element before a position, from 0 to `count`.
    public func insert(_ element: Element, at position: Int) {
        replaceSubrange(position..<position, with: CollectionOfOne(element))
    }

    /// Removes the element at a position.
    public func remove(at position: Int) { removeSubrange(position..<position + 1) }

    /// Removes the elements in a range of positions.
    public func removeSubrange(_ range: Range<Int>) { replaceSubrange(range, with: EmptyCollection()) }

    /// Removes all elements.
    public func removeAll() { removeSubrange(0..<count) }

    private static func element(of row: ListRow) -> Element {
        guard let element = row.value as? Element else { preconditionFailure("A row holds an element of its model") }
        return element
    }
}
