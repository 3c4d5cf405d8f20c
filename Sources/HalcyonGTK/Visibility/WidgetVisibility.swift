#if GTK
internal import CGTK

/// Follows whether a widget is shown, its size, and whether things may move in it.
@MainActor
final class WidgetVisibility {
    enum Change {
        /// The widget is shown, or no longer is.
        case mapping
        /// The widget was laid out, or the scale of its screen changed.
        case layout
        /// The widget left its window; other code may keep it.
        case removal
        /// The window was minimised or is back, or the user has switched animations on or off.
        case motion
    }

    /// The widget; `nil` for an object that is none, and after its end.
    private(set) var widget: UnsafeMutableRawPointer?
    private let isWidget: Bool
    /// Called after each change.
    var onChange: (Change) -> Void = { _ in }
    /// The handlers that are connected while the widget is mapped, at objects that outlive it.
    private var handlers: [(object: ObjectReference, number: gulong)] = []
    /// The layouts of the window, which are followed while the widget is mapped.
    private var layouts: LayoutObserver?
    /// The frame clock, while the widget is mapped.
    private var clock: ObjectReference?
    /// The surface of the window, while the widget is mapped.
    private var toplevel: ObjectReference?
    /// A Boolean value that indicates whether the widget has been laid out since it was mapped.
    private var hasLayout = false
    private var isDestroyed = false

    init(_ object: UnsafeMutableRawPointer) {
        isWidget = object.isInstance(of: gtk_widget_get_type())
        guard isWidget else { return }
        widget = object
        // Valid for as long as the handlers are: the state of the widget, which owns this, ends with the widget, after
        // GObject has removed its handlers; or in `end()`.
        let data = Unmanaged.passUnretained(self).toOpaque()
        let map: @convention(c) (gpointer?, gpointer?) -> Void = { _, data in
            WidgetVisibility.with(data) { $0.mappingDidChange() }
        }
        connect(object, "map", map, data, after: true)
        connect(object, "unmap", map, data, after: true)
        let scale: @convention(c) (gpointer?, gpointer?, gpointer?) -> Void = { _, _, data in
            WidgetVisibility.with(data) { $0.onChange(.layout) }
        }
        connect(object, "notify::scale-factor", scale, data)
        let root: @convention(c) (gpointer?, gpointer?, gpointer?) -> Void = { _, _, data in
            WidgetVisibility.with(data) { $0.rootDidChange() }
        }
        connect(object, "notify::root", root, data)
        let destroy: @convention(c) (gpointer?, gpointer?) -> Void = { _, data in
            WidgetVisibility.with(data) { visibility in
                visibility.isDestroyed = true
                visibility.onChange(.removal)
            }
        }
        connect(object, "destroy", destroy, data)
        guard isMapped else { return }
        hasLayout = hasSize
        follow()
    }

    private nonisolated static func with(_ data: gpointer?, _ body: @MainActor (WidgetVisibility) -> Void) {
        let visibility = Unmanaged<WidgetVisibility>.fromOpaque(nonnull(data)).takeUnretainedValue()
        MainActor.assumeIsolated { body(visibility) }
    }

    /// A Boolean value that indicates whether the widget is shown. An object that is no widget counts as shown.
    var isMapped: Bool {
        guard let widget else { return !isWidget }
        return gtk_widget_get_mapped(widget.widget) != 0
    }

    /// A Boolean value that indicates whether the widget is in a window. An object that is no widget counts as such.
    var hasRoot: Bool {
        guard let widget else { return !isWidget }
        return !isDestroyed && gtk_widget_get_root(widget.widget) != nil
    }

    /// A Boolean value that indicates whether the widget is shown, and its window not minimised.
    var isSeen: Bool {
        guard isMapped else { return false }
        guard let toplevel else { return true }
        return gdk_toplevel_get_state(toplevel.opaque).rawValue & Self.unseenStates == 0
    }

    /// The states of a window that is not seen: minimised, and, from GTK 4.12, suspended.
    private static let unseenStates = GDK_TOPLEVEL_STATE_MINIMIZED.rawValue | 1 << 16

    /// A Boolean value that indicates whether the user lets things move. Nothing does where there are no frames.
    var allowsMotion: Bool {
        guard let widget else { return false }
        return cgtk_allows_motion(gtk_widget_get_settings(widget.widget)) != 0
    }

    /// A Boolean value that indicates whether things may move in the widget, and are seen.
    var showsMotion: Bool { isWidget && isSeen && allowsMotion }

    /// The number of pixels of a point.
    var scale: Int { widget.map { Int(gtk_widget_get_scale_factor($0.widget)) } ?? 1 }

    /// A Boolean value that indicates whether the sizes of the widget are those that it is shown at; of a widget that is
    /// not shown, those that it was shown at last, which GTK forgets when the widget is hidden itself. An object that is
    /// no widget has none, and never will.
    var isLaidOut: Bool {
        guard widget != nil else { return !isWidget }
        return isMapped ? hasLayout && nativeHasSize : hasSize
    }

    /// A Boolean value that indicates whether the window or the popover has a size, as it has once it is laid out.
    private var nativeHasSize: Bool {
        guard let widget, let native = gtk_widget_get_native(widget.widget) else { return false }
        let pointer = UnsafeMutableRawPointer(native)
        return gtk_widget_get_width(pointer.widget) > 0 && gtk_widget_get_height(pointer.widget) > 0
    }

    private var hasSize: Bool {
        guard let widget else { return false }
        return gtk_widget_get_width(widget.widget) > 0 && gtk_widget_get_height(widget.widget) > 0
    }

    /// Has the frame clock lay out once more, after which sizes are looked at again. A widget that is mapped need not
    /// be laid out for it.
    func requestLayout() {
        guard let clock else { return }
        gdk_frame_clock_request_phase(clock.opaque, GDK_FRAME_CLOCK_PHASE_LAYOUT)
    }

    /// Ends with the widget.
    func end() {
        unfollow()
        widget = nil
        onChange = { _ in }
    }

    private func mappingDidChange() {
        if isMapped { follow() } else { unfollow() }
        onChange(.mapping)
    }

    private func rootDidChange() {
        guard let widget, gtk_widget_get_root(widget.widget) == nil else { return }
        onChange(.removal)
    }

    /// Connects to what concerns only a widget that is mapped.
    private func follow() {
        guard clock == nil, let widget, let frames = gtk_widget_get_frame_clock(widget.widget) else { return }
        clock = ObjectReference(retaining: UnsafeMutableRawPointer(frames))
        let layouts = LayoutObserver.of(UnsafeMutableRawPointer(frames))
        layouts.add(self) { [unowned self] in
            hasLayout = true
            onChange(.layout)
        }
        self.layouts = layouts
        let motion: @convention(c) (gpointer?, gpointer?, gpointer?) -> Void = { _, _, data in
            WidgetVisibility.with(data) { $0.onChange(.motion) }
        }
        let settings = UnsafeMutableRawPointer(nonnull(gtk_widget_get_settings(widget.widget)))
        follow(settings, "notify::gtk-enable-animations", motion)
        if let surface = cgtk_toplevel(widget) {
            toplevel = follow(UnsafeMutableRawPointer(surface), "notify::state", motion)
        }
        requestLayout()
    }

    @discardableResult
    private func follow<Handler>(
        _ object: UnsafeMutableRawPointer,
        _ signal: String,
        _ handler: Handler
    ) -> ObjectReference {
        let reference = ObjectReference(retaining: object)
        let number = connect(object, signal, handler, Unmanaged.passUnretained(self).toOpaque(), after: true)
        handlers.append((reference, number))
        return reference
    }

    private func unfollow() {
        hasLayout = false
        for (object, number) in handlers { g_signal_handler_disconnect(object.pointer, number) }
        handlers = []
        layouts?.remove(self)
        layouts = nil
        clock = nil
        toplevel = nil
    }
}
#endif
