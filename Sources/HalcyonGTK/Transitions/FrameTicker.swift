#if GTK
internal import CGTK

/// Calls a closure before each frame of a widget, for as long as there is something that moves.
@MainActor
final class FrameTicker {
    private let widget: UnsafeMutableRawPointer
    private var callback: guint = 0
    private var isPaused: Bool
    /// Called with the time of the frame; returns whether to go on.
    private let onFrame: (Duration) -> Bool

    /// - Parameter widget: It must exist until `stop(widgetExists:)`.
    init(_ widget: UnsafeMutableRawPointer, onFrame: @escaping (Duration) -> Bool) {
        self.widget = widget
        self.onFrame = onFrame
        isPaused = gtk_widget_get_mapped(widget.widget) == 0
        start()
    }

    /// A Boolean value that indicates whether it has not come to its end.
    private(set) var isActive = true

    /// Waits until the widget is shown again.
    func pause() {
        isPaused = true
        removeCallback()
    }

    func resume() {
        isPaused = false
        start()
    }

    /// Goes on after the closure has ended it.
    func start() {
        isActive = true
        guard callback == 0, !isPaused else { return }
        callback = gtk_widget_add_tick_callback(
            widget.widget,
            { _, clock, data in
                let ticker = Unmanaged<FrameTicker>.fromOpaque(nonnull(data)).takeUnretainedValue()
                let time = Duration.microseconds(gdk_frame_clock_get_frame_time(clock))
                return MainActor.assumeIsolated { ticker.frame(at: time) }.gboolean
            },
            Unmanaged.passUnretained(self).toOpaque(),
            nil
        )
    }

    /// - Parameter widgetExists: Whether the widget can be told; one that is being finalised drops its callbacks itself.
    func stop(widgetExists: Bool) {
        isActive = false
        if widgetExists { removeCallback() }
        callback = 0
    }

    private func removeCallback() {
        guard callback != 0 else { return }
        gtk_widget_remove_tick_callback(widget.widget, callback)
        callback = 0
    }

    private func frame(at time: Duration) -> Bool {
        if onFrame(time) { return true }
        // The callback ends with this call.
        callback = 0
        isActive = false
        return false
    }
}
#endif
