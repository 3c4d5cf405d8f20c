import CGTK
import Halcyon
import XCTest

/// A widget of any type in a window that is shown.
@MainActor
final class ShownWidget {
    let window: TestWindow
    let widget: UnsafeMutablePointer<GtkWidget>
    let frames: PaintedFrames
    private var isDestroyed = false

    /// - Parameter make: Makes the widget, once there is a display.
    init(
        width: Int = 200,
        height: Int = 200,
        _ make: () -> UnsafeMutablePointer<GtkWidget>?
    ) async throws {
        try TestWindow.requireDisplay()
        widget = try XCTUnwrap(make())
        window = try TestWindow(width: width, height: height, child: widget)
        await window.present()
        frames = try PaintedFrames(widget)
    }

    /// The widget as the structure of its type.
    func pointer<Widget>(as type: Widget.Type) -> UnsafeMutablePointer<Widget> {
        UnsafeMutableRawPointer(widget).assumingMemoryBound(to: type)
    }

    /// The colour in the middle after the next frame.
    func color(file: StaticString = #filePath, line: UInt = #line) async -> TestColor? {
        await frames.next(file: file, line: line)?.middle
    }

    /// Waits until a colour is in the middle.
    func wait(for color: TestColor, file: StaticString = #filePath, line: UInt = #line) async {
        gtk_widget_queue_draw(widget)
        await MainLoop.run(file: file, line: line) { self.frames.frames.last?.middle == color }
    }

    func destroy() {
        guard !isDestroyed else { return }
        isDestroyed = true
        frames.stop()
        window.destroy()
    }
}
