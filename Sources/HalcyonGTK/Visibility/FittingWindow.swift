internal import CGTK

/// A window or a popover that is as large as its content asks for, in one direction at least.
///
/// GTK gives a window without a size that of its content when it is shown, and does not change it when the content does:
/// a window around an empty picture stays as small as that.
@MainActor
struct FittingWindow {
    let fitsWidth: Bool
    let fitsHeight: Bool
    private let size: (width: Int32, height: Int32)
    private let window: WeakObjectReference

    /// `nil` for a window whose sides are both given, and for a widget in no window.
    ///
    /// - Parameter earlier: The window at an earlier time; a side that was that of the content then, and has the same length,
    ///   still is, though the content may ask for less.
    init?(around widget: UnsafeMutableRawPointer, after earlier: FittingWindow?) {
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
        let earlier = earlier?.window.object?.pointer == native ? earlier : nil
        fitsWidth = width == naturalWidth || earlier?.fitsWidth == true && earlier?.size.width == width
        fitsHeight = height == naturalHeight || earlier?.fitsHeight == true && earlier?.size.height == height
        guard fitsWidth || fitsHeight else { return nil }
        size = (width, height)
        window = WeakObjectReference(native)
    }

    /// Gives the window the size that its content asks for now. A popover takes it by itself.
    func fit() {
        guard let window = window.object, window.pointer.isInstance(of: gtk_window_get_type()) else { return }
        gtk_window_set_default_size(
            window.pointer.assumingMemoryBound(to: GtkWindow.self),
            fitsWidth ? -1 : size.width,
            fitsHeight ? -1 : size.height
        )
    }
}
