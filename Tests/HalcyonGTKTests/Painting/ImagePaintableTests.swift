import CGTK
import Halcyon
import HalcyonTesting
import XCTest

@testable import HalcyonGTK

/// Images without a widget of their own.
@MainActor
final class ImagePaintableTests: XCTestCase {
    func testSeveralWidgetsShowOneImage() async throws {
        let picture = try await TestPicture()
        defer { picture.destroy() }
        let icon = try await ShownWidget { gtk_image_new() }
        defer { icon.destroy() }
        let image = ImagePaintable()
        gtk_picture_set_paintable(OpaquePointer(picture.widget), OpaquePointer(image.pointer))
        gtk_image_set_from_paintable(OpaquePointer(icon.widget), OpaquePointer(image.pointer))
        let loads = ViewPipeline()
        let done = Completions()
        image.hc.setImage(with: try loads.url(.blue), pipeline: loads.pipeline, completion: done.handler)
        await done.wait()
        XCTAssertEqual(done.outcome, "success")
        await icon.wait(for: .blue)
        await MainLoop.run { picture.frames.frames.last?.middle == .blue }
    }

    func testImageInTextAppearsAndGetsItsSize() async throws {
        let text = try await ShownWidget { gtk_text_view_new() }
        defer { text.destroy() }
        gtk_text_view_set_cursor_visible(text.pointer(as: GtkTextView.self), 0)
        let buffer = gtk_text_view_get_buffer(text.pointer(as: GtkTextView.self))
        let image = ImagePaintable()
        let loads = ViewPipeline()
        image.hc.setImage(with: loads.url(), placeholder: try TestColor.red.image(20, 20), pipeline: loads.pipeline)
        var position = GtkTextIter()
        gtk_text_buffer_get_start_iter(buffer, &position)
        gtk_text_buffer_insert_paintable(buffer, &position, OpaquePointer(image.pointer))
        await MainLoop.run { text.frames.frames.last?.colors.contains(.red) == true }
        try await loads.transport.nextTransfer().answer(.blue, 60, 60)
        await MainLoop.run { text.frames.frames.last?.colors.contains(.blue) == true }
        var count = 0
        let pixels = try XCTUnwrap(text.frames.frames.last)
        for y in 0..<pixels.height { for x in 0..<pixels.width where pixels[x, y] == .blue { count += 1 } }
        XCTAssertEqual(count, 3_600)
    }

    func testLoadEndsWithLastReference() async throws {
        try TestWindow.requireDisplay()
        let loads = ViewPipeline()
        let done = Completions()
        var image: ImagePaintable? = ImagePaintable()
        let object = try WeakObjectReference(XCTUnwrap(image?.pointer))
        image?.hc.setImage(
            with: loads.url(),
            placeholder: try TestColor.red.image(),
            options: [.indicator(.spinner)],
            pipeline: loads.pipeline,
            completion: done.handler
        )
        let transfer = await loads.transport.nextTransfer()
        weak var paintable: AnyObject?
        paintable = try SlotPaintable.existing(XCTUnwrap(image?.pointer))
        weak var state: AnyObject?
        state = try WidgetState.existing(XCTUnwrap(image?.pointer))
        XCTAssertNotNil(paintable)
        XCTAssertNotNil(state)
        image = nil
        XCTAssertNil(object.object)
        XCTAssertNil(paintable)
        XCTAssertNil(state)
        await done.wait()
        XCTAssertEqual(done.outcome, "superseded")
        await transfer.waitUntilCancelled()
    }

    func testWidgetKeepsLoadAlive() async throws {
        let picture = try await TestPicture()
        let loads = ViewPipeline()
        let done = Completions()
        var image: ImagePaintable? = ImagePaintable()
        image?.hc.setImage(with: loads.url(), pipeline: loads.pipeline, completion: done.handler)
        let object = try WeakObjectReference(XCTUnwrap(image?.pointer))
        gtk_picture_set_paintable(OpaquePointer(picture.widget), image.map { OpaquePointer($0.pointer) })
        image = nil
        try await loads.transport.nextTransfer().answer(.blue)
        await done.wait()
        XCTAssertEqual(done.outcome, "success")
        await MainLoop.run { picture.frames.frames.last?.middle == .blue }
        picture.destroy()
        await MainLoop.run { object.object == nil }
    }

    func testRemovedSlotIsEmptyAndCanBeUsedAgain() async throws {
        try TestWindow.requireDisplay()
        let image = ImagePaintable()
        image.hc.show(try TestColor.red.image(30, 20))
        XCTAssertEqual(gdk_paintable_get_intrinsic_width(OpaquePointer(image.pointer)), 30)
        image.hc.remove()
        XCTAssertEqual(gdk_paintable_get_intrinsic_width(OpaquePointer(image.pointer)), 0)
        XCTAssertEqual(image.hc.content, .nothing)
        image.hc.show(try TestColor.red.image(40, 20))
        XCTAssertEqual(gdk_paintable_get_intrinsic_width(OpaquePointer(image.pointer)), 40)
    }
}
