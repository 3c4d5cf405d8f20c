internal import CGTK
internal import HalcyonGTK

/// The window that lists the keys.
@MainActor
enum ShortcutsWindow {
    private static let groups: [(title: String, keys: [(accelerator: String, title: String)])] = [
        (
            "Images",
            [
                ("<Ctrl>O", "Open images"), ("<Ctrl><Shift>O", "Open a folder"), ("<Ctrl>F", "Search"),
                ("Return", "Show the selected image"), ("Delete", "Remove the image from the window"),
                ("<Ctrl>W", "Close the window"),
            ]
        ),
        (
            "One image",
            [
                ("Left Right", "Previous and next image"), ("Home End", "First and last image"),
                ("space", "Pause or play an animation"), ("R", "Try again"), ("Escape", "Back to all images"),
            ]
        ),
        (
            "Zoom",
            [("plus", "Zoom in"), ("minus", "Zoom out"), ("0", "Fit into the window"), ("1", "Original size")]
        ),
        (
            "Window",
            [
                ("F9", "Information"), ("F11", "Full screen"), ("<Ctrl>D", "Dark style"),
                ("<Ctrl>question", "Keyboard shortcuts"),
            ]
        ),
    ]

    /// Opens the window above another one.
    static func present(for parent: UnsafeMutablePointer<GtkWindow>) {
        // From a description, because newer versions of GTK declare the functions of this widget deprecated.
        let text = description
        guard let builder = gtk_builder_new_from_string(text, text.utf8.count),
            let object = gtk_builder_get_object(builder, "shortcuts")
        else { return }
        let window = UnsafeMutableRawPointer(object).assumingMemoryBound(to: GtkWindow.self)
        gtk_window_set_transient_for(window, parent)
        gtk_window_present(window)
        g_object_unref(builder.raw)
    }

    private static var description: String {
        let groups = groups.map { group in
            let keys = group.keys.map { key in
                """
                <child><object class="GtkShortcutsShortcut">
                <property name="accelerator">\(escaped(key.accelerator))</property>
                <property name="title">\(escaped(key.title))</property>
                </object></child>
                """
            }
            return """
                <child><object class="GtkShortcutsGroup"><property name="title">\(escaped(group.title))</property>
                \(keys.joined(separator: "\n"))
                </object></child>
                """
        }
        return """
            <interface><object class="GtkShortcutsWindow" id="shortcuts"><property name="modal">1</property>
            <child><object class="GtkShortcutsSection"><property name="section-name">shortcuts</property>
            \(groups.joined(separator: "\n"))
            </object></child></object></interface>
            """
    }

    private static func escaped(_ text: String) -> String {
        takeString(g_markup_escape_text(text, -1))
    }
}
