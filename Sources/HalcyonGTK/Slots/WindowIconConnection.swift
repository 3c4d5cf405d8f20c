#if GTK
internal import CGTK

/// The texture of what a slot shows, as the icon of a window.
@MainActor
final class WindowIconConnection: SlotConnection {
    /// The longest side of an icon in pixels; display servers refuse much larger ones.
    private static let limit = 256

    /// An icon is not shown at the size of its window.
    var displayWidget: UnsafeMutableRawPointer? { nil }
    private let window: WeakObjectReference
    private let paintable: SlotPaintable
    private var handlers: [gulong] = []
    /// The icon that the surface was given last.
    private var shown: ObjectReference?
    /// Whether the program has given the window an icon by name meanwhile.
    private var isReplaced = false
    private var isRestoring = false

    init(_ window: UnsafeMutableRawPointer, _ paintable: SlotPaintable) {
        self.window = WeakObjectReference(window)
        self.paintable = paintable
    }

    func install() {
        guard let window = window.object?.pointer else { return }
        paintable.onChange = { [weak self] in self?.update() }
        let data = Unmanaged.passUnretained(self).toOpaque()
        let realize: @convention(c) (gpointer?, gpointer?) -> Void = { _, data in
            WindowIconConnection.with(data) { icon in
                // The new surface has none yet.
                icon.shown = nil
                icon.update()
            }
        }
        let notify: @convention(c) (gpointer?, gpointer?, gpointer?) -> Void = { _, _, data in
            WindowIconConnection.with(data) { icon in
                if !icon.isRestoring { icon.isReplaced = true }
            }
        }
        handlers = [
            connect(window, "realize", realize, data, after: true),
            connect(window, "notify::icon-name", notify, data),
        ]
        update()
    }

    func uninstall() {
        paintable.onChange = nil
        guard let window = window.object?.pointer else { return }
        for handler in handlers { g_signal_handler_disconnect(window, handler) }
        handlers = []
        set(nil, window)
    }

    private nonisolated static func with(_ data: gpointer?, _ body: @MainActor (WindowIconConnection) -> Void) {
        let icon = Unmanaged<WindowIconConnection>.fromOpaque(nonnull(data)).takeUnretainedValue()
        MainActor.assumeIsolated { body(icon) }
    }

    private func update() {
        guard let window = window.object?.pointer else { return }
        set(paintable.current?.texture(limit: Self.limit), window)
    }

    private func set(_ icon: ObjectReference?, _ window: UnsafeMutableRawPointer) {
        guard !isReplaced, icon?.pointer != shown?.pointer, let surface = gtk_native_get_surface(window.opaque) else {
            return
        }
        shown = icon
        let icons = icon.flatMap { g_list_append(nil, $0.pointer) }
        gdk_toplevel_set_icon_list(surface, icons)
        g_list_free(icons)
        if icon == nil { restoreNamedIcon(of: window) }
    }

    /// Lets the window take its named icon again, which it does only for a new name.
    private func restoreNamedIcon(of window: UnsafeMutableRawPointer) {
        let window = window.assumingMemoryBound(to: GtkWindow.self)
        guard let name = gtk_window_get_icon_name(window).map({ String(cString: $0) }) else { return }
        isRestoring = true
        gtk_window_set_icon_name(window, nil)
        gtk_window_set_icon_name(window, name)
        isRestoring = false
    }
}
#endif
