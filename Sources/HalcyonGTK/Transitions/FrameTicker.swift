internal import CGTK

/// Calls a closure before each frame of a widget, for as long as there is something that moves.
@MainActor
final class FrameTicker {
    private let widget: UnsafeMutableRawPointer
    private var callback: guint = 0
    private var isPaused: Bool
    /// Called with the time of the frame; returns whether to go on.
    private let onFrame: (Duration) -> Bool

    /// - Parameters:
    ///   - widget: It must exist until `stop(widgetExists:)`.
    ///   - isPaused: Whether it waits for `resume()`.
    init(_ widget: UnsafeMutableRawPointer, isPaused: Bool, onFrame: @escaping (Duration) -> Bool) {
        self.widget = widget
        self.isPaused = isPaused
        self.onFrame = onFrame
        start()
    }

    /// A Boolean value that indicates whether it is called before the next frame.
    var isActive: Bool { callback != 0 }

    /// Waits until the widget is seen again.
    func pause() {
        isPaused = true
        removeCallback()
    }

    /// Has ``start()`` be of effect again.
    func resume() { isPaused = false }

    /// Goes on after the closure has ended it.
    func start() {
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
        isPaused = true
        if widgetExists { removeCallback() }
        callback = 0
    }

    private func removeCallback() {
        guard callback != 0 else { return }
        gtk_widget_remove_tick_callback(widget.widget, callback)
        callback = 0
    }

    private func frame(at time: Duration) -> Bool {
        let present = callback
        let goesOn = onFrame(time)
        // The closure may have ended this callback, and begun another.
        guard callback == present else { return false }
        if !goesOn { callback = 0 }
        return goesOn
    }
}
