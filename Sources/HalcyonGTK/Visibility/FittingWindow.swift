internal import CGTK

/// A window or a popover that is as large as its content asks for, in one direction at least.
///
/// GTK gives a window without a size that of its content when it is shown, and does not change it when the content does:
/// a window around an empty picture stays as small as that.
@MainActor
struct FittingWindow {
    let fitsWidth: Bool
    let fitsHeight: Bool
    /// The sides to be kept; -1 for a side that is to fit.
    private let size: (width: Int32, height: Int32)
    private let window: ObjectReference

    /// `nil` for a window whose sides are both given, and for a widget in no window.
    init?(around widget: UnsafeMutableRawPointer) {
        guard let native = gtk_widget_get_native(widget.widget).map({ UnsafeMutableRawPointer($0) }) else { return nil }
        var (width, height): (Int32, Int32) = (
            gtk_widget_get_width(native.widget), gtk_widget_get_height(native.widget)
        )
        if native.isInstance(of: gtk_window_get_type()) {
            let window = native.assumingMemoryBound(to: GtkWindow.self)
            guard gtk_window_is_maximized(window) == 0, gtk_window_is_fullscreen(window) == 0 else { return nil }
            // The present one, once it is shown; that of the widget is without the window's shadow.
            gtk_window_get_default_size(window, &width, &height)
        }
        guard width > 0, height > 0 else { return nil }
        var (naturalWidth, naturalHeight): (Int32, Int32) = (0, 0)
        gtk_widget_measure(native.widget, GTK_ORIENTATION_HORIZONTAL, -1, nil, &naturalWidth, nil, nil)
        gtk_widget_measure(native.widget, GTK_ORIENTATION_VERTICAL, width, nil, &naturalHeight, nil, nil)
        (fitsWidth, fitsHeight) = (width == naturalWidth, height == naturalHeight)
        guard fitsWidth || fitsHeight else { return nil }
        size = (fitsWidth ? -1 : width, fitsHeight ? -1 : height)
        window = ObjectReference(retaining: native)
    }

    /// Gives the window the size that its content asks for now. A popover takes it by itself.
    func fit() {
        guard window.pointer.isInstance(of: gtk_window_get_type()) else { return }
        gtk_window_set_default_size(window.pointer.assumingMemoryBound(to: GtkWindow.self), size.width, size.height)
    }
}
