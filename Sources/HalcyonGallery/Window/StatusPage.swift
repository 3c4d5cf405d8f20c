internal import CGTK

/// A page that says why there are no images, and what to do.
@MainActor
enum StatusPage {
    /// Returns the page of a window without images.
    static func empty() -> Widget {
        let buttons = makeBox(
            GTK_ORIENTATION_VERTICAL,
            [
                makeTextButton("_Open Images…", action: "win.open", classes: ["pill", "suggested-action"]),
                makeTextButton("Open _Folder…", action: "win.open-folder", classes: ["pill"]),
            ]
        )
        center(buttons)
        return make(
            icon: "folder-pictures-symbolic",
            title: "No Images",
            text: "Drop images, folders or links here, or open them.",
            [buttons]
        )
    }

    /// Returns the page of a search that finds nothing.
    static func notFound() -> Widget {
        make(icon: "system-search-symbolic", title: "No Results Found", text: "Try a different search.", [])
    }

    private static func make(icon: String, title: String, text: String, _ children: [Widget]) -> Widget {
        let page = makeBox(
            GTK_ORIENTATION_VERTICAL,
            spacing: 12,
            classes: ["status-page"],
            [
                makeIcon(icon, size: 128, classes: ["dim-label"]),
                makeLabel(title, classes: ["title-1"], wraps: true), makeLabel(text, wraps: true),
            ] + children
        )
        center(page)
        expand(page)
        return page
    }
}
