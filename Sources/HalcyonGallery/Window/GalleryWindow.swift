internal import CGTK
internal import Halcyon
internal import HalcyonGTK

/// A window of the program: a grid of images, one of them in full, and a panel with figures.
@MainActor
final class GalleryWindow {
    /// The pages of the window.
    enum Page: String {
        case empty
        case grid
        case notFound = "not-found"
        case detail
    }

    /// The `GtkApplicationWindow`, valid until ``isClosed``.
    let window: OpaquePointer
    let collection = ImageCollection()
    let pipeline: ImagePipeline
    let grid: GridPage
    let detail: DetailPage
    let panel: InformationPanel
    let notice = Notice()
    let searchBar: Widget
    let searchEntry: Widget
    /// Called after the window was closed.
    var onClose: () -> Void = {}
    private(set) var isClosed = false
    /// The reading of what was opened last; `nil` once it has ended.
    var reading: Task<Void, Never>?
    /// The number of readings begun.
    var readingCount = 0
    /// The position at which the image that is shown in full was opened.
    var lastPosition = 0
    /// A Boolean value that indicates whether images were left out because there are too many.
    var isTruncated = false
    private let stack: Widget
    private let title = makeLabel("Gallery", classes: ["title"])
    private let subtitle = makeLabel("", classes: ["subtitle"])
    private let backButton: Widget

    init(application: UnsafeMutablePointer<GtkApplication>, pipeline: ImagePipeline) {
        self.pipeline = pipeline
        window = nonnull(gtk_application_window_new(application)).opaque
        grid = GridPage(collection, pipeline: pipeline)
        detail = DetailPage(pipeline: pipeline)
        panel = InformationPanel(pipeline: pipeline)
        searchBar = nonnull(gtk_search_bar_new())
        searchEntry = nonnull(gtk_search_entry_new())
        stack = nonnull(gtk_stack_new())
        backButton = makeIconButton("go-previous-symbolic", tooltip: "Back (Escape)", action: "win.back")
        addActions()
        gtk_window_set_titlebar(windowPointer, makeHeaderBar())
        gtk_window_set_child(windowPointer, makeContent())
        gtk_window_set_default_size(windowPointer, 1_080, 760)
        gtk_window_set_icon_name(windowPointer, GalleryApplication.identifier)
        addDropTarget()
        addKeys()
        connectParts()
        onSignal(window, "destroy") { [weak self] _ in self?.didClose() }
        collectionDidChange()
    }

    var windowPointer: UnsafeMutablePointer<GtkWindow> { window.raw.assumingMemoryBound(to: GtkWindow.self) }

    /// The page that is shown.
    var page: Page {
        gtk_stack_get_visible_child_name(stack.opaque).flatMap { Page(rawValue: String(cString: $0)) } ?? .empty
    }

    /// A Boolean value that indicates whether all that can be seen is what it will be.
    var isSettled: Bool {
        guard reading == nil, gtk_stack_get_transition_running(stack.opaque) == 0 else { return false }
        switch page {
        case .grid: return grid.isSettled
        case .detail: return detail.isSettled
        case .empty, .notFound: return true
        }
    }

    /// The position of the image that is shown in full among those that match; `nil` if none is shown, or it does not
    /// match. The selection is that of the grid, which the pointer may change meanwhile.
    var shownPosition: Int? {
        guard page == .detail, let item = detail.item else { return nil }
        return collection.position(of: item, near: lastPosition)
    }

    func present() { gtk_window_present(windowPointer) }

    func show(_ page: Page) {
        gtk_stack_set_visible_child_name(stack.opaque, page.rawValue)
        setVisible(backButton, page == .detail)
        for name in ["previous", "next", "zoom-in", "zoom-out", "zoom-fit", "zoom-original", "play"] {
            setEnabled(page == .detail, of: name, in: window)
        }
        updateTitle()
        updateRemoval()
        panel.update()
    }

    /// Only an image that is shown in full, or selected, can be removed.
    private func updateRemoval() {
        setEnabled(page == .detail || collection.selectedPosition != nil, of: "remove", in: window)
    }

    /// Shows the page that the images call for, unless one of them is shown in full.
    func collectionDidChange() {
        if page != .detail || collection.matchCount == 0 {
            show(collection.count == 0 ? .empty : collection.matchCount == 0 ? .notFound : .grid)
        }
        setEnabled(collection.count > 0, of: "search", in: window)
        updateTitle()
    }

    func updateTitle() {
        let text: String
        if page == .detail, let item = detail.item {
            text = item.name
            gtk_label_set_text(subtitle.opaque, detailStatus)
            let position = shownPosition
            setEnabled((position ?? 0) > 0, of: "previous", in: window)
            setEnabled(position.map { $0 + 1 < collection.matchCount } ?? false, of: "next", in: window)
        } else {
            text = "Gallery"
            gtk_label_set_text(subtitle.opaque, gridStatus)
        }
        gtk_label_set_text(title.opaque, text)
        setVisible(subtitle, gtk_label_get_text(subtitle.opaque).pointee != 0)
        gtk_window_set_title(windowPointer, page == .detail ? "\(text) – Gallery" : text)
    }

    private var gridStatus: String {
        let count = "\(collection.count.grouped) image\(collection.count == 1 ? "" : "s")"
        if reading != nil { return "Reading… \(count)" }
        guard collection.count > 0 else { return "" }
        if collection.isSearching { return "\(collection.matchCount.grouped) of \(count)" }
        return isTruncated ? "the first \(count)" : count
    }

    private var detailStatus: String {
        var parts: [String] = []
        if let position = shownPosition {
            parts.append("\((position + 1).grouped) of \(collection.matchCount.grouped)")
        }
        if let size = detail.response?.image.info.displaySize { parts.append("\(size.width) × \(size.height)") }
        return parts.joined(separator: " · ")
    }

    private func didClose() {
        isClosed = true
        reading?.cancel()
        reading = nil
        panel.end()
        Style.unfollow(self)
        notice.cancel()
        onClose()
    }

    private func connectParts() {
        grid.onOpen = { [weak self] position in self?.open(position) }
        detail.thumbnail = { [weak self] item in self?.thumbnail(of: item) }
        detail.onLoad = { [weak self] in
            self?.updateTitle()
            self?.panel.update()
        }
        panel.imageFigures = { [weak self] in self?.imageFigures ?? [] }
        onSignal(collection.selection, "notify::selected") { [weak self] _ in
            guard let self else { return }
            updateRemoval()
            panel.update()
        }
        onSignal(searchEntry, "search-changed") { [weak self] _ in
            guard let self else { return }
            collection.search(String(cString: gtk_editable_get_text(searchEntry.opaque)))
            collectionDidChange()
        }
        onSignal(searchEntry, "activate") { [weak self] _ in
            guard let self, page == .grid else { return }
            // What was typed last counts, though the list waits a moment for more.
            collection.search(String(cString: gtk_editable_get_text(searchEntry.opaque)))
            collectionDidChange()
            open(collection.selectedPosition ?? 0)
        }
        onSignal(searchBar, "notify::search-mode-enabled") { [weak self] _ in
            guard let self else { return }
            setState(gtk_search_bar_get_search_mode(searchBar.opaque) != 0, of: "search", in: window)
        }
    }

    /// The figures of the image that is shown in full, or else of the selected one.
    private var imageFigures: [Figure] {
        if page == .detail, let item = detail.item {
            return Figure.figures(of: item, info: detail.response?.image.info, response: detail.response)
        }
        guard let item = collection.selectedPosition.flatMap(collection.item(at:)) else { return [] }
        return Figure.figures(of: item, info: thumbnail(of: item)?.info, response: nil)
    }

    /// The thumbnail of an image, if it is at hand: in a cell, or in memory, where files are not looked for by name.
    private func thumbnail(of item: GalleryItem) -> DecodedImage? {
        if let image = grid.thumbnail(of: item) { return image }
        let scale = Int(gtk_widget_get_scale_factor(window.widget))
        return pipeline.responseFromMemory(for: item.thumbnailRequest(scale: scale))?.image
    }
}

// The parts of the window.
extension GalleryWindow {
    private func makeHeaderBar() -> Widget {
        let bar = nonnull(gtk_header_bar_new())
        let titles = makeBox(GTK_ORIENTATION_VERTICAL, [title, subtitle])
        gtk_widget_set_valign(titles, GTK_ALIGN_CENTER)
        for label in [title, subtitle] { gtk_label_set_ellipsize(label.opaque, PANGO_ELLIPSIZE_MIDDLE) }
        gtk_header_bar_set_title_widget(bar.opaque, titles)
        gtk_header_bar_pack_start(bar.opaque, backButton)
        gtk_header_bar_pack_start(
            bar.opaque,
            makeIconButton("document-open-symbolic", tooltip: "Open images (Ctrl+O)", action: "win.open")
        )
        let menuButton = nonnull(gtk_menu_button_new())
        gtk_menu_button_set_icon_name(menuButton.opaque, "open-menu-symbolic")
        gtk_menu_button_set_primary(menuButton.opaque, true.gboolean)
        describe(menuButton, "Menu (F10)")
        let menu = makeMenu([
            [
                ("_Open Images…", "win.open"), ("Open _Folder…", "win.open-folder"), ("_Remove Image", "win.remove"),
                ("_Close All Images", "win.clear"),
            ],
            [("_Dark Style", "win.dark"), ("_Full Screen", "win.fullscreen")],
            [("_Keyboard Shortcuts", "win.shortcuts"), ("_About Gallery", "win.about")],
        ])
        gtk_menu_button_set_menu_model(menuButton.opaque, menu.raw.assumingMemoryBound(to: GMenuModel.self))
        g_object_unref(menu.raw)
        gtk_header_bar_pack_end(bar.opaque, menuButton)
        gtk_header_bar_pack_end(
            bar.opaque,
            makeToggleButton("help-about-symbolic", tooltip: "Information (F9)", action: "win.panel")
        )
        gtk_header_bar_pack_end(
            bar.opaque,
            makeToggleButton("system-search-symbolic", tooltip: "Search (Ctrl+F)", action: "win.search")
        )
        return bar
    }

    private func makeContent() -> Widget {
        gtk_search_bar_set_child(searchBar.opaque, searchEntry)
        gtk_search_bar_connect_entry(searchBar.opaque, searchEntry.opaque)
        gtk_search_bar_set_key_capture_widget(searchBar.opaque, grid.widget)
        // As wide as its text where there is room, and no reason for the window to be wide.
        gtk_editable_set_max_width_chars(searchEntry.opaque, 40)
        cgtk_set_accessible_label(searchEntry, "Search by name or folder")
        let pages: [(Widget, Page)] = [
            (StatusPage.empty(), .empty), (grid.widget, .grid), (StatusPage.notFound(), .notFound),
            (detail.widget, .detail),
        ]
        for (widget, page) in pages { gtk_stack_add_named(stack.opaque, widget, page.rawValue) }
        // The window may be as narrow as the page that is shown.
        gtk_stack_set_hhomogeneous(stack.opaque, false.gboolean)
        gtk_stack_set_transition_type(stack.opaque, GTK_STACK_TRANSITION_TYPE_CROSSFADE)
        gtk_stack_set_transition_duration(stack.opaque, 150)
        expand(stack)
        let overlay = nonnull(gtk_overlay_new())
        gtk_overlay_set_child(overlay.opaque, stack)
        gtk_overlay_add_overlay(overlay.opaque, notice.widget)
        let images = makeBox(GTK_ORIENTATION_VERTICAL, [searchBar, overlay])
        return makeBox(GTK_ORIENTATION_HORIZONTAL, classes: ["content"], [images, panel.widget])
    }
}
