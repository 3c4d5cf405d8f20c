internal import CGTK

/// A window or a popover that is as large as its content asks for, in one direction at least.
///
/// GTK gives a window without a size that of its content when it is shown, and does not change it when the content does:
/// a window around an empty picture stays as small as that. One in which nothing has a size gets sides of 200 points.
@MainActor
struct FittingWindow {
    let fitsWidth: Bool
    let fitsHeight: Bool
    private let size: (width: Int32, height: Int32)
    private let window: WeakObjectReference

    /// Notes the sides that the program gives a window: from when it is shown on, GTK tells only those that it has.
    static func noteGivenSize(of window: UnsafeMutableRawPointer) {
        guard window.isInstance(of: gtk_window_get_type()), gtk_widget_get_realized(window.widget) == 0,
            GivenSize.attachment.value(of: window.opaque) == nil
        else { return }
        let given = GivenSize()
        GivenSize.attachment.attach(given, to: window.opaque)
        onSignal(window, "realize") { [weak given] _ in given?.note(of: window) }
    }

    /// Returns whether nothing in the window of a widget has a size, so that its sides are no one's choice.
    static func isEmpty(around widget: UnsafeMutableRawPointer) -> Bool {
        guard let native = gtk_widget_get_native(widget.widget).map({ UnsafeMutableRawPointer($0) }),
            native.isInstance(of: gtk_window_get_type()),
            let content = gtk_window_get_child(native.assumingMemoryBound(to: GtkWindow.self))
        else { return false }
        return [GTK_ORIENTATION_HORIZONTAL, GTK_ORIENTATION_VERTICAL].allSatisfy { orientation in
            var natural: Int32 = 0
            gtk_widget_measure(content, orientation, -1, nil, &natural, nil, nil)
            return natural == 0
        }
    }

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
        let given = GivenSize.attachment.value(of: native.opaque)
        var (naturalWidth, naturalHeight): (Int32, Int32) = (0, 0)
        gtk_widget_measure(native.widget, GTK_ORIENTATION_HORIZONTAL, -1, nil, &naturalWidth, nil, nil)
        gtk_widget_measure(native.widget, GTK_ORIENTATION_VERTICAL, width, nil, &naturalHeight, nil, nil)
        let earlier = earlier?.window.object?.pointer == native ? earlier : nil
        fitsWidth =
            given?.width != width
            && (width == naturalWidth || earlier?.fitsWidth == true && earlier?.size.width == width)
        fitsHeight =
            given?.height != height
            && (height == naturalHeight || earlier?.fitsHeight == true && earlier?.size.height == height)
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

/// The sides that the program has given a window before it was shown for the first time; 0 for those that it has not.
@MainActor
private final class GivenSize {
    static let attachment = AttachedObject<GivenSize>(name: "halcyon-given-size")

    private(set) var width: Int32 = 0
    private(set) var height: Int32 = 0
    private var isKnown = false

    /// The window is about to be shown.
    func note(of window: UnsafeMutableRawPointer) {
        guard !isKnown else { return }
        isKnown = true
        gtk_window_get_default_size(window.assumingMemoryBound(to: GtkWindow.self), &width, &height)
    }
}
