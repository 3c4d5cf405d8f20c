#if GTK
import CGTK
import Halcyon
import HalcyonGTK
import XCTest

/// A class as a program's own binding of GTK has it.
@MainActor
private final class Picture {
    let pointer: UnsafeMutableRawPointer

    init() throws {
        pointer = try UnsafeMutableRawPointer(XCTUnwrap(gtk_picture_new()))
    }
}

extension Picture: ImageDisplaying { var displayPointer: UnsafeMutableRawPointer { pointer } }

/// A program with classes of its own for GTK.
@MainActor
final class OwnBindingTests: XCTestCase {
    func testClassConformsInOneLine() async throws {
        try TestWindow.requireDisplay()
        let picture = try Picture()
        let window = try TestWindow(child: picture.pointer.assumingMemoryBound(to: GtkWidget.self))
        defer { window.destroy() }
        await window.present()
        let loads = ViewPipeline()
        let done = Completions()
        picture.hc.setImage(with: try loads.url(.blue), pipeline: loads.pipeline, completion: done.handler)
        await done.wait()
        XCTAssertEqual(done.outcome, "success")
        XCTAssertEqual(picture.hc.content, .image)
    }

    func testAvatarConformsInOneLine() async throws {
        var avatar: TestAvatar?
        let shown = try await ShownWidget {
            avatar = try? TestAvatar()
            let widget = avatar?.pointer.assumingMemoryBound(to: GtkWidget.self)
            gtk_widget_set_size_request(widget, 64, 64)
            gtk_widget_set_halign(widget, GTK_ALIGN_CENTER)
            gtk_widget_set_valign(widget, GTK_ALIGN_CENTER)
            return widget
        }
        defer { shown.destroy() }
        let display = try XCTUnwrap(avatar).hc
        let loads = ViewPipeline()
        let done = Completions()
        display.setImage(with: try loads.url(.blue, 640, 640), pipeline: loads.pipeline, completion: done.handler)
        await done.wait()
        XCTAssertEqual(done.outcome, "success")
        await shown.wait(for: .blue)
        XCTAssertEqual(display.image?.size, PixelSize(64, 64))
        XCTAssertNotNil(avatar?.customImage)
        display.remove()
        XCTAssertNil(avatar?.customImage)
    }
}
#endif
