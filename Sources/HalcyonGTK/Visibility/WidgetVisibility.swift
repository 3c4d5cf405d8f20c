#if GTK
internal import CGTK

/// Follows whether a widget is shown, and its size.
@MainActor
final class WidgetVisibility {
    enum Change {
        /// The widget is shown, or no longer is.
        case mapping
        /// The widget was laid out, or the scale of its screen changed.
        case layout
        /// The widget left its window; other code may keep it.
        case removal
    }

    /// The widget; `nil` for an object that is none, and after its end.
    private(set) var widget: UnsafeMutableRawPointer?
    private let isWidget: Bool
    /// Called after each change.
    var onChange: (Change) -> Void = { _ in }
    /// The layouts of the window, which are followed while the widget is mapped.
    private var layouts: LayoutObserver?
    /// A Boolean value that indicates whether the widget has been laid out since it was mapped.
    private var hasLayout = false

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
        let notify: @convention(c) (gpointer?, gpointer?, gpointer?) -> Void = { _, _, data in
            WidgetVisibility.with(data) { $0.onChange(.layout) }
        }
        connect(object, "notify::scale-factor", notify, data)
        let destroy: @convention(c) (gpointer?, gpointer?) -> Void = { _, data in
            WidgetVisibility.with(data) { $0.onChange(.removal) }
        }
        connect(object, "destroy", destroy, data)
        if isMapped { followLayout() }
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

    /// A Boolean value that indicates whether the user lets things move, and the widget is shown, so that it can be
    /// seen.
    var showsMotion: Bool {
        guard let widget, isMapped else { return false }
        return cgtk_boolean_property(
            UnsafeMutableRawPointer(gtk_widget_get_settings(widget.widget)),
            "gtk-enable-animations"
        ) != 0
    }

    /// The number of pixels of a point.
    var scale: Int { widget.map { Int(gtk_widget_get_scale_factor($0.widget)) } ?? 1 }

    /// A Boolean value that indicates whether the sizes of the widget are those that it is shown at. An object that is
    /// no widget has none, and never will.
    var isLaidOut: Bool {
        guard let widget else { return !isWidget }
        return hasLayout || (gtk_widget_get_width(widget.widget) > 0 && gtk_widget_get_height(widget.widget) > 0)
    }

    /// Ends with the widget.
    func end() {
        unfollowLayout()
        widget = nil
        onChange = { _ in }
    }

    private func mappingDidChange() {
        if isMapped { followLayout() } else { unfollowLayout() }
        onChange(.mapping)
    }

    private func followLayout() {
        guard layouts == nil, let widget, let clock = gtk_widget_get_frame_clock(widget.widget) else { return }
        let layouts = LayoutObserver.of(UnsafeMutableRawPointer(clock))
        layouts.add(self) { [unowned self] in
            hasLayout = true
            onChange(.layout)
        }
        self.layouts = layouts
    }

    private func unfollowLayout() {
        hasLayout = false
        layouts?.remove(self)
        layouts = nil
    }
}
#endif
