internal import CGTK
internal import Halcyon

/// The texture of what a slot shows, as the icon of a window.
@MainActor
final class WindowIconConnection: SlotConnection {
    /// The longest side of an icon in pixels; display servers refuse much larger ones.
    static let limit = 256

    /// An icon is not shown at the size of its window.
    var displayWidget: UnsafeMutableRawPointer? { nil }
    let fixedSize: SizeDemand? = SizeDemand(width: limit, height: limit)
    private let window: WeakObjectReference
    private let paintable: SlotPaintable
    private var handlers: [gulong] = []
    /// The icon that the surface was given last, in all its sizes.
    private var shown: [ObjectReference] = []
    /// Further sizes of an image that may be shown.
    private var sizes: (image: UnsafeMutableRawPointer, textures: [ObjectReference])?
    /// Whether the program has given the window an icon by name since the last call.
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
                icon.shown = []
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

    func take() {
        guard isReplaced else { return }
        isReplaced = false
        shown = []
    }

    func uninstall() {
        paintable.onChange = nil
        guard let window = window.object?.pointer else { return }
        for handler in handlers { g_signal_handler_disconnect(window, handler) }
        handlers = []
        set([], window)
    }

    /// Gives the desktop further sizes of the image that is shown to choose from.
    func add(_ images: [DecodedImage]) {
        sizes = paintable.current.map { ($0.pointer, images.map { Texture.make($0.bitmap) }) }
        update()
    }

    private nonisolated static func with(_ data: gpointer?, _ body: @MainActor (WindowIconConnection) -> Void) {
        let icon = Unmanaged<WindowIconConnection>.fromOpaque(nonnull(data)).takeUnretainedValue()
        MainActor.assumeIsolated { body(icon) }
    }

    func update() {
        guard let window = window.object?.pointer else { return }
        guard let current = paintable.current, let icon = current.texture(limit: Self.limit) else {
            return set([], window)
        }
        if sizes?.image != current.pointer { sizes = nil }
        set([icon] + (sizes?.textures ?? []), window)
    }

    private func set(_ icon: [ObjectReference], _ window: UnsafeMutableRawPointer) {
        guard !isReplaced, icon.map(\.pointer) != shown.map(\.pointer),
            let surface = gtk_native_get_surface(window.opaque)
        else { return }
        shown = icon
        let list = icon.reduce(nil) { g_list_append($0, $1.pointer) }
        gdk_toplevel_set_icon_list(surface, list)
        g_list_free(list)
        if icon.isEmpty { restoreNamedIcon(of: window) }
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
