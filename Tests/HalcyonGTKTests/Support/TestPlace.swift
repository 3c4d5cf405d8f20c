import CGTK
import Halcyon
import XCTest

@testable import HalcyonGTK

/// A `GtkPicture` in a window, in a place whose size the test sets, whatever the picture shows.
@MainActor
final class TestPlace {
    let window: TestWindow
    let widget: UnsafeMutablePointer<GtkWidget>
    let display: ImageDisplay
    let box: UnsafeMutablePointer<GtkWidget>
    /// Gives the place its size; `nil` if the picture has its own.
    private let spacer: UnsafeMutablePointer<GtkWidget>?

    /// - Parameters:
    ///   - size: In points; `nil`: the window's width, and a height that the picture decides.
    ///   - isVisible: `false`: the picture is hidden.
    init(_ size: PixelSize? = PixelSize(100, 100), isVisible: Bool = true) async throws {
        try TestWindow.requireDisplay()
        widget = try XCTUnwrap(gtk_picture_new())
        gtk_widget_set_visible(widget, isVisible ? 1 : 0)
        box = try XCTUnwrap(gtk_box_new(GTK_ORIENTATION_VERTICAL, 0))
        let child: UnsafeMutablePointer<GtkWidget>
        if let size {
            // An overlay has the size of its main child.
            let overlay = try XCTUnwrap(gtk_overlay_new())
            let spacer = try XCTUnwrap(gtk_box_new(GTK_ORIENTATION_VERTICAL, 0))
            gtk_widget_set_size_request(spacer, Int32(size.width), Int32(size.height))
            gtk_overlay_set_child(OpaquePointer(overlay), spacer)
            gtk_overlay_add_overlay(OpaquePointer(overlay), widget)
            gtk_widget_set_halign(overlay, GTK_ALIGN_START)
            (child, self.spacer) = (overlay, spacer)
        } else {
            (child, spacer) = (widget, nil)
        }
        gtk_box_append(UnsafeMutableRawPointer(box).assumingMemoryBound(to: GtkBox.self), child)
        display = ImageDisplay(widget)
        window = try TestWindow(width: 400, height: 400, child: box)
        await window.present()
        await waitForFrame()
    }

    var picture: OpaquePointer { OpaquePointer(widget) }
    var size: PixelSize { PixelSize(Int(gtk_widget_get_width(widget)), Int(gtk_widget_get_height(widget))) }
    var imageSize: PixelSize? { display.image?.size }

    func setVisible(_ isVisible: Bool) { gtk_widget_set_visible(widget, isVisible ? 1 : 0) }

    /// Gives the place another size, and waits for it.
    func resize(_ width: Int, _ height: Int) async {
        gtk_widget_set_size_request(spacer, Int32(width), Int32(height))
        await MainLoop.run { self.size == PixelSize(width, height) }
        await waitForFrame()
    }

    /// Waits until the window has painted a frame that begins now.
    func waitForFrame() async { await afterNextFrame {} }

    /// Returns the pixels of the picture in the next frame.
    ///
    /// - Parameter name: See ``RenderedWidget``.
    func rendered(name: String? = nil) async throws -> RenderedWidget {
        var result: Result<RenderedWidget, any Error>?
        await afterNextFrame { result = Result { try RenderedWidget(self.widget, name: name) } }
        return try XCTUnwrap(result).get()
    }

    /// Calls a closure as soon as a frame is painted, before anything can change.
    private func afterNextFrame(_ body: @escaping () -> Void) async {
        let count = PaintCount.of(box)
        var hasRun = false
        let observer = try? FrameObserver(box) { [box] in
            guard !hasRun, PaintCount.of(box) > count else { return }
            body()
            hasRun = true
        }
        guard let observer else { return }
        gtk_widget_queue_draw(box)
        await MainLoop.run { hasRun }
        observer.stop()
    }

    func destroy() { window.destroy() }
}
