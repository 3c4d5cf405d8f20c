import CGTK

/// Counts the frames that windows paint.
///
/// The end of a frame of the clock does not say so: a window that waits for the display server, as for its new size, goes
/// through frames in which it paints nothing, and its widgets then have the pixels of an earlier one, or none.
@MainActor
enum PaintCount {
    private static var counts: [UnsafeMutableRawPointer: Int] = [:]
    private static var isCounting = false

    /// The number of frames that the window of a widget has painted, since the first call for any widget.
    static func of(_ widget: UnsafeMutablePointer<GtkWidget>) -> Int {
        start()
        guard let native = gtk_widget_get_native(widget), let surface = gtk_native_get_surface(native) else { return 0 }
        return counts[UnsafeMutableRawPointer(surface)] ?? 0
    }

    private static func start() {
        guard !isCounting else { return }
        isCounting = true
        // A handler of the signal would not be called: the window's own is the last one.
        g_signal_add_emission_hook(
            g_signal_lookup("render", gdk_surface_get_type()),
            0,
            { _, _, values, _ in
                nonisolated(unsafe) let surface = values.flatMap { g_value_get_object($0) }
                MainActor.assumeIsolated { if let surface { PaintCount.counts[surface, default: 0] += 1 } }
                return 1
            },
            nil,
            nil
        )
    }
}
