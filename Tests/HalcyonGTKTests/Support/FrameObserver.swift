import CGTK
import XCTest

@testable import HalcyonGTK

/// Calls closures around each frame of the window of a widget.
@MainActor
final class FrameObserver {
    private let clock: ObjectReference
    private var handlers: [gulong] = []
    private let onPaint: () -> Void
    private let onBegin: () -> Void

    /// - Parameters:
    ///   - onBegin: Called before anything of a frame is done.
    ///   - onPaint: Called when the frame is painted, before anything else can change the widgets.
    init(
        _ widget: UnsafeMutablePointer<GtkWidget>,
        onBegin: @escaping () -> Void = {},
        onPaint: @escaping () -> Void
    ) throws {
        clock = ObjectReference(
            retaining: UnsafeMutableRawPointer(try XCTUnwrap(gtk_widget_get_frame_clock(widget)))
        )
        self.onBegin = onBegin
        self.onPaint = onPaint
        let data = Unmanaged.passUnretained(self).toOpaque()
        let begin: @convention(c) (gpointer?, gpointer?) -> Void = { _, data in
            let observer = Unmanaged<FrameObserver>.fromOpaque(nonnull(data)).takeUnretainedValue()
            MainActor.assumeIsolated { observer.onBegin() }
        }
        let painted: @convention(c) (gpointer?, gpointer?) -> Void = { _, data in
            let observer = Unmanaged<FrameObserver>.fromOpaque(nonnull(data)).takeUnretainedValue()
            MainActor.assumeIsolated { observer.onPaint() }
        }
        handlers = [
            connect(clock.pointer, "before-paint", begin, data),
            connect(clock.pointer, "after-paint", painted, data, after: true),
        ]
    }

    func stop() {
        for handler in handlers { g_signal_handler_disconnect(clock.pointer, handler) }
        handlers = []
    }
}
