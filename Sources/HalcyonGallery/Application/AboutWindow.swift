internal import CGTK
internal import HalcyonGTK

/// The window that says what this program is.
@MainActor
enum AboutWindow {
    static func present(for parent: UnsafeMutablePointer<GtkWindow>) {
        let window = nonnull(gtk_about_dialog_new())
        let dialog = window.opaque
        gtk_about_dialog_set_program_name(dialog, "Gallery")
        gtk_about_dialog_set_logo_icon_name(dialog, GalleryApplication.identifier)
        gtk_about_dialog_set_comments(dialog, "Shows images with Halcyon, which loads and caches them.")
        gtk_about_dialog_set_license_type(dialog, GTK_LICENSE_MIT_X11)
        gtk_window_set_transient_for(window.cast(), parent)
        gtk_window_set_modal(window.cast(), true.gboolean)
        gtk_window_present(window.cast())
    }
}
