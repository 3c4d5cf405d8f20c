import CGTK
import Halcyon
import HalcyonGTK
import HalcyonTesting
import XCTest

/// A remote image in a window that is shown.
@MainActor
final class TestRemoteImage {
    let window: TestWindow
    let image: RemoteImage
    let widget: UnsafeMutablePointer<GtkWidget>

    /// - Parameters:
    ///   - size: The size that the widget asks for, in points; `nil`: its own.
    ///   - isFilling: Whether it gets the whole window, of 200 × 200 points.
    init(
        _ request: ImageRequest?,
        _ configuration: RemoteImage.Configuration = RemoteImage.Configuration(),
        on pipeline: ViewPipeline,
        size: PixelSize? = nil,
        isFilling: Bool = false
    ) async throws {
        try TestWindow.requireDisplay()
        image = RemoteImage(request, configuration: configuration, pipeline: pipeline.pipeline)
        widget = image.widget.assumingMemoryBound(to: GtkWidget.self)
        if let size { gtk_widget_set_size_request(widget, Int32(size.width), Int32(size.height)) }
        if !isFilling {
            gtk_widget_set_halign(widget, GTK_ALIGN_START)
            gtk_widget_set_valign(widget, GTK_ALIGN_START)
        }
        window = try TestWindow(child: widget)
        gtk_window_present(window.window)
        await MainLoop.run { gtk_widget_get_mapped(self.widget) != 0 }
        await waitForFrame()
    }

    var size: PixelSize { PixelSize(Int(gtk_widget_get_width(widget)), Int(gtk_widget_get_height(widget))) }
    var picture: OpaquePointer { OpaquePointer(image.displayPointer) }
    var pictureWidget: UnsafeMutablePointer<GtkWidget> { image.displayPointer.assumingMemoryBound(to: GtkWidget.self) }

    func setVisible(_ isVisible: Bool) { gtk_widget_set_visible(widget, isVisible ? 1 : 0) }

    /// Waits until the window has painted a frame that begins now.
    func waitForFrame() async {
        let count = PaintCount.of(window.widget)
        gtk_widget_queue_draw(window.widget)
        await MainLoop.run { PaintCount.of(self.window.widget) > count }
    }

    func waitUntilLoaded(file: StaticString = #filePath, line: UInt = #line) async {
        await MainLoop.run(file: file, line: line) { if case .loaded = self.image.state { true } else { false } }
        await waitForFrame()
    }

    func waitUntilFailed(file: StaticString = #filePath, line: UInt = #line) async {
        await MainLoop.run(file: file, line: line) { if case .failed = self.image.state { true } else { false } }
        await waitForFrame()
    }

    /// The pixels of the widget, which also become a screenshot.
    func pixels(_ name: String? = nil) async throws -> RenderedWidget {
        await waitForFrame()
        return try RenderedWidget(widget, name: name.map { "remote-image-\($0)" })
    }

    /// The descendant of a type, the first in depth.
    func descendant(_ type: GType) -> UnsafeMutablePointer<GtkWidget>? { Self.descendant(type, of: widget) }

    private static func descendant(
        _ type: GType,
        of widget: UnsafeMutablePointer<GtkWidget>
    ) -> UnsafeMutablePointer<GtkWidget>? {
        var child = gtk_widget_get_first_child(widget)
        while let present = child {
            let instance = UnsafeMutableRawPointer(present).assumingMemoryBound(to: GTypeInstance.self)
            if g_type_check_instance_is_a(instance, type) != 0 { return present }
            if let found = descendant(type, of: present) { return found }
            child = gtk_widget_get_next_sibling(present)
        }
        return nil
    }

    /// The retry button; `nil` if it is not there.
    var retryButton: UnsafeMutablePointer<GtkWidget>? { descendant(gtk_button_get_type()) }
}

extension ViewPipeline {
    /// The oldest transfer that the test has not taken yet, also one that begins with a later frame.
    @MainActor
    func nextTransfer() async throws -> ScriptedTransfer {
        var transfer: ScriptedTransfer?
        let taking = Task { transfer = await transport.nextTransfer() }
        await MainLoop.run { transfer != nil }
        taking.cancel()
        return try XCTUnwrap(transfer)
    }
}

/// A box of a size and a colour, as a child of the program's own.
@MainActor
func coloredBox(_ width: Int, _ height: Int, _ color: TestColor = .yellow) throws -> UnsafeMutableRawPointer {
    let picture = try XCTUnwrap(gtk_picture_new())
    gtk_picture_set_can_shrink(OpaquePointer(picture), 1)
    gtk_widget_set_size_request(picture, Int32(width), Int32(height))
    ImageDisplay(picture).show(try color.image(width, height))
    gtk_picture_set_content_fit(OpaquePointer(picture), GTK_CONTENT_FIT_FILL)
    return UnsafeMutableRawPointer(picture)
}
