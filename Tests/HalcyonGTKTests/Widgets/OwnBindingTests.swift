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
}
#endif
