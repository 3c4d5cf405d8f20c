internal import CGTK
internal import HalcyonGTK

/// The images of a window: all of them, those that a search leaves, and the one that is selected.
@MainActor
final class ImageCollection {
    /// What the grid shows: the images that match, with a selection.
    let selection: OpaquePointer
    /// All images.
    private let images = ImageListModel<GalleryItem>()
    private let filter: UnsafeMutablePointer<GtkFilter>
    private let owner: ObjectReference
    private let words = SearchWords()

    /// What a search looks for; the filter holds it, too.
    private final class SearchWords {
        var words: [Substring] = []
    }

    init() {
        let custom = nonnull(
            gtk_custom_filter_new(
                { object, words in
                    guard let object, let words else { return true.gboolean }
                    nonisolated(unsafe) let (item, search) = (object, words)
                    return MainActor.assumeIsolated {
                        let words = Unmanaged<SearchWords>.fromOpaque(search).takeUnretainedValue().words
                        return (ImageListModel<GalleryItem>.element(of: item)?.matches(words) ?? false).gboolean
                    }
                },
                Unmanaged.passRetained(words).toOpaque(),
                { words in if let words { Unmanaged<SearchWords>.fromOpaque(words).release() } }
            )
        )
        filter = UnsafeMutableRawPointer(custom).assumingMemoryBound(to: GtkFilter.self)
        // Each takes over the reference to the one before, so that the last owns them all.
        let filtered = nonnull(gtk_filter_list_model_new(images.passRetained().opaque, filter))
        selection = nonnull(gtk_single_selection_new(filtered))
        owner = ObjectReference(adopting: selection.raw)
        gtk_single_selection_set_autoselect(selection, false.gboolean)
        gtk_single_selection_set_can_unselect(selection, true.gboolean)
    }

    /// The number of all images.
    var count: Int { images.count }

    /// The number of images that match the search.
    var matchCount: Int { Int(g_list_model_get_n_items(selection)) }

    /// A Boolean value that indicates whether some images are left out.
    var isSearching: Bool { !words.words.isEmpty }

    /// The position of the selected image among those that match; `nil` if none is.
    var selectedPosition: Int? {
        get {
            let position = gtk_single_selection_get_selected(selection)
            return position == GTK_INVALID_LIST_POSITION ? nil : Int(position)
        }
        set { gtk_single_selection_set_selected(selection, newValue.map(guint.init) ?? GTK_INVALID_LIST_POSITION) }
    }

    /// The image at a position among those that match; `nil` if there is none.
    func item(at position: Int) -> GalleryItem? {
        guard position >= 0, let object = g_list_model_get_item(selection, guint(position)) else { return nil }
        defer { g_object_unref(object) }
        return ImageListModel<GalleryItem>.element(of: object)
    }

    /// Returns the position of an image among those that match; `nil` if it does not. Complexity: O(*n*), but O(1) at
    /// the place where it is looked for first.
    func position(of item: GalleryItem, near place: Int) -> Int? {
        if self.item(at: place) === item { return place }
        return (0..<matchCount).first { self.item(at: $0) === item }
    }

    func append(_ items: [GalleryItem]) { images.append(contentsOf: items) }

    /// Removes an image. Complexity: O(*n*).
    func remove(_ item: GalleryItem) {
        guard let position = (0..<images.count).first(where: { images[$0] === item }) else { return }
        images.remove(at: position)
    }

    func removeAll() { images.removeAll() }

    /// Leaves the images whose name or place has all words of a text.
    func search(_ text: String) {
        let next = text.lowercased().split(whereSeparator: \.isWhitespace)
        guard next != words.words else { return }
        let change: GtkFilterChange =
            if next.isEmpty || words.words.isEmpty {
                next.isEmpty ? GTK_FILTER_CHANGE_LESS_STRICT : GTK_FILTER_CHANGE_MORE_STRICT
            } else {
                GTK_FILTER_CHANGE_DIFFERENT
            }
        words.words = next
        gtk_filter_changed(filter, change)
    }
}
