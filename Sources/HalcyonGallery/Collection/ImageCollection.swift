#if GTK
internal import CGTK

/// The images of a window: all of them, those that a search leaves, and the one that is selected.
@MainActor
final class ImageCollection {
    /// What the grid shows: the images that match, with a selection.
    let selection: OpaquePointer
    /// All images, each in a GObject.
    private let store: OpaquePointer
    private let filter: UnsafeMutablePointer<GtkFilter>
    private let owner: OwnedObject
    private let words = SearchWords()
    private static let attachment = AttachedObject<GalleryItem>(name: "gallery-item")

    /// What a search looks for; the filter holds it, too.
    private final class SearchWords {
        var words: [Substring] = []
    }

    init() {
        store = nonnull(g_list_store_new(cgtk_object_type()))
        let custom = nonnull(
            gtk_custom_filter_new(
                { object, words in
                    guard let object, let words else { return true.gboolean }
                    nonisolated(unsafe) let (item, search) = (OpaquePointer(object), words)
                    return MainActor.assumeIsolated {
                        let words = Unmanaged<SearchWords>.fromOpaque(search).takeUnretainedValue().words
                        return (ImageCollection.item(of: item)?.matches(words) ?? false).gboolean
                    }
                },
                Unmanaged.passRetained(words).toOpaque(),
                { words in if let words { Unmanaged<SearchWords>.fromOpaque(words).release() } }
            )
        )
        filter = UnsafeMutableRawPointer(custom).assumingMemoryBound(to: GtkFilter.self)
        // Each takes over the reference to the one before, so that the last owns them all.
        let filtered = nonnull(gtk_filter_list_model_new(store, filter))
        selection = nonnull(gtk_single_selection_new(filtered))
        owner = OwnedObject(adopting: selection)
        gtk_single_selection_set_autoselect(selection, false.gboolean)
        gtk_single_selection_set_can_unselect(selection, true.gboolean)
    }

    /// The image of an object of the list.
    static func item(of object: OpaquePointer) -> GalleryItem? { attachment.value(of: object) }

    /// The number of all images.
    var count: Int { Int(g_list_model_get_n_items(store)) }

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
        return Self.item(of: OpaquePointer(object))
    }

    func append(_ items: [GalleryItem]) {
        var objects: [gpointer?] = items.map { item in
            let object = UnsafeMutableRawPointer(nonnull(g_object_new_with_properties(cgtk_object_type(), 0, nil, nil)))
            Self.attachment.attach(item, to: OpaquePointer(object))
            return object
        }
        g_list_store_splice(store, guint(count), 0, &objects, guint(objects.count))
        for object in objects { g_object_unref(object) }
    }

    func removeAll() {
        g_list_store_remove_all(store)
    }

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
#endif
