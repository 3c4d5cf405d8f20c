import CGTK
import Halcyon
import HalcyonTesting
import XCTest

@testable import HalcyonGTK

/// The pixels that widgets draw, by the renderer of their window and by Cairo.
@MainActor
final class RenderingTests: XCTestCase {
    func testSymbolicImageHasColorOfText() async throws {
        let picture = try await makePicture(css: ".first { color: rgb(0, 0, 255); } .second { color: rgb(255, 0, 0); }")
        defer { picture.destroy() }
        gtk_widget_add_css_class(picture.widget, "first")
        let loads = ViewPipeline()
        let done = Completions()
        ImageDisplay(picture.widget).setImage(
            with: try loads.url(.green),
            options: [.rendering(.symbolic)],
            pipeline: loads.pipeline,
            completion: done.handler
        )
        await done.wait()
        await picture.wait(for: .blue)
        try assertBoth(picture, x: 50, y: 50, is: .blue)
        // Another colour of the widget is seen in its next frame, without a new image.
        gtk_widget_remove_css_class(picture.widget, "first")
        gtk_widget_add_css_class(picture.widget, "second")
        await MainLoop.run { picture.frames.frames.last?.middle == .red }
        try assertBoth(picture, x: 50, y: 50, is: .red)
    }

    func testSymbolicImageKeepsAlpha() async throws {
        let picture = try await makePicture(css: ".blue { color: rgba(0, 0, 255, 0.5); }")
        defer { picture.destroy() }
        gtk_widget_add_css_class(picture.widget, "blue")
        var rendering = ImageRendering()
        rendering.isSymbolic = true
        try show(halves(left: [0, 128, 0, 128], right: [0, 0, 0, 0]), in: picture, rendering)
        let pixels = await picture.frames.next()
        // A half of a half, over the background of the window.
        let whole = try XCTUnwrap(gtk_widget_paintable_new(picture.widget))
        g_object_unref(UnsafeMutableRawPointer(whole))
        let blue = try XCTUnwrap(pixels?[25, 50])
        XCTAssertEqual(Int(blue.blue), 64, accuracy: 2)
        XCTAssertEqual([blue.red, blue.green], [0, 0])
        XCTAssertNil(pixels?[75, 50] as TestColor?)
        let rendered = try RenderedWidget(picture.widget)
        XCTAssertEqual(try Int(XCTUnwrap(rendered[25, 50]).blue), 64, accuracy: 2)
        XCTAssertNil(rendered[75, 50])
    }

    func testMirroredImageFollowsDirection() async throws {
        let picture = try await makePicture()
        defer { picture.destroy() }
        let halves = try halves(left: [255, 0, 0, 255], right: [0, 0, 255, 255])
        try show(halves, in: picture)
        gtk_widget_set_direction(picture.widget, GTK_TEXT_DIR_RTL)
        // An image that is no arrow stays as it is.
        _ = await picture.frames.next()
        try assertBoth(picture, x: 25, y: 50, is: .red)
        var rendering = ImageRendering()
        rendering.mirrorsInRightToLeft = true
        try show(halves, in: picture, rendering)
        await MainLoop.run { picture.frames.frames.last?[25, 50] == .blue }
        try assertBoth(picture, x: 25, y: 50, is: .blue)
        try assertBoth(picture, x: 75, y: 50, is: .red)
        gtk_widget_set_direction(picture.widget, GTK_TEXT_DIR_LTR)
        await MainLoop.run { picture.frames.frames.last?[25, 50] == .red }
        gtk_widget_set_direction(picture.widget, GTK_TEXT_DIR_RTL)
        await MainLoop.run { picture.frames.frames.last?[25, 50] == .blue }
    }

    func testEachImageHasItsOwnRendering() async throws {
        let picture = try await makePicture(css: ".text { color: rgb(0, 0, 255); }")
        defer { picture.destroy() }
        gtk_widget_add_css_class(picture.widget, "text")
        let loads = ViewPipeline()
        let done = Completions()
        let display = ImageDisplay(picture.widget)
        let symbol = try loads.url(.green)
        display.setImage(
            with: symbol,
            options: [.rendering(.symbolic)],
            pipeline: loads.pipeline,
            completion: done.handler
        )
        await done.wait()
        await picture.wait(for: .blue)
        // Neither the placeholder of the next image nor the image for its failure is a symbol.
        display.setImage(
            with: loads.url(),
            placeholder: try TestColor.red.image(),
            options: [.rendering(.symbolic), .failureImage(try TestColor.yellow.image())],
            pipeline: loads.pipeline
        )
        let placeholder = await picture.color()
        XCTAssertEqual(placeholder, .red)
        // The first transfer is that of the symbol.
        await MainLoop.run { loads.transport.transfers.count == 2 }
        loads.transport.transfers[1].answer(ScriptedTransport.Route(status: 404))
        await picture.wait(for: .yellow)
    }

    func testSymbolStaysOneWhileItDisappears() async throws {
        let picture = try await makePicture(css: ".words { color: rgb(0, 0, 255); }")
        defer { picture.destroy() }
        gtk_widget_add_css_class(picture.widget, "words")
        var symbol = Paintable(try TestColor.green.image())
        symbol.rendering.isSymbolic = true
        let display = ImageDisplay(picture.widget)
        display.setImage(with: Optional<ImageRequest>.none, placeholder: symbol)
        display.show(try TestColor.red.image(), transition: .custom(.seconds(600)) { $0.drawPrevious() })
        await picture.wait(for: .blue)
        display.show(try TestColor.red.image())
        await picture.wait(for: .red)
    }

    func testImageWithAlphaShowsWhatIsBehind() async throws {
        let picture = try await makePicture(css: ".back { background: rgb(0, 0, 255); }")
        defer { picture.destroy() }
        gtk_widget_add_css_class(picture.widget, "back")
        try show(halves(left: [128, 0, 0, 128], right: [0, 0, 0, 0]), in: picture)
        _ = await picture.frames.next()
        let pixels = try XCTUnwrap(picture.frames.frames.last)
        let rendered = try RenderedWidget(picture.widget)
        for color in [pixels[25, 50], rendered[25, 50]] {
            XCTAssertEqual(try Int(XCTUnwrap(color).red), 128, accuracy: 2)
            XCTAssertEqual(try Int(XCTUnwrap(color).blue), 127, accuracy: 2)
        }
        try assertBoth(picture, x: 75, y: 50, is: .blue)
    }

    func testImageOfSixteenBitsHasItsColors() async throws {
        let picture = try await makePicture()
        defer { picture.destroy() }
        var bitmap = try Bitmap(size: PixelSize(100, 100), depth: .sixteen)
        let bytesPerRow = bitmap.bytesPerRow
        bitmap.withUnsafeMutableBytes { bytes in
            for y in 0..<100 {
                for x in 0..<100 {
                    let samples: [UInt16] = x < 50 ? [65_535, 0, 0, 65_535] : [0, 0x4000, 0x2000, 0x8000]
                    for (index, sample) in samples.enumerated() {
                        bytes.storeBytes(of: sample, toByteOffset: y * bytesPerRow + x * 8 + index * 2, as: UInt16.self)
                    }
                }
            }
        }
        try show(bitmap, in: picture)
        _ = await picture.frames.next()
        try assertBoth(picture, x: 25, y: 50, is: .red)
        let pixels = try XCTUnwrap(picture.frames.frames.last)
        let rendered = try RenderedWidget(picture.widget)
        for color in [pixels[75, 50], rendered[75, 50]] {
            XCTAssertEqual(try Int(XCTUnwrap(color).green), 64, accuracy: 1)
            XCTAssertEqual(try Int(XCTUnwrap(color).blue), 32, accuracy: 1)
        }
    }

    /// A picture that fills 100 × 100 points, whatever the ratio of its image, over nothing.
    private func makePicture(css: String = "") async throws -> ShownWidget {
        let picture = try await ShownWidget(width: 100, height: 100) {
            let picture = gtk_picture_new()
            gtk_widget_set_size_request(picture, 100, 100)
            return picture
        }
        let provider = gtk_css_provider_new()
        gtk_css_provider_load_from_data(provider, css, -1)
        gtk_style_context_add_provider_for_display(
            gtk_widget_get_display(picture.widget),
            OpaquePointer(provider),
            guint(GTK_STYLE_PROVIDER_PRIORITY_USER)
        )
        g_object_unref(provider)
        return picture
    }

    /// An image of two colours, premultiplied, beside each other.
    private func halves(left: [UInt8], right: [UInt8]) throws -> Bitmap {
        var bitmap = try Bitmap(size: PixelSize(100, 100))
        let bytesPerRow = bitmap.bytesPerRow
        bitmap.withUnsafeMutableBytes { bytes in
            for y in 0..<100 {
                for x in 0..<100 {
                    for (index, sample) in (x < 50 ? left : right).enumerated() {
                        bytes[y * bytesPerRow + x * 4 + index] = sample
                    }
                }
            }
        }
        return bitmap
    }

    /// Shows pixels in a picture.
    private func show(
        _ bitmap: Bitmap,
        in picture: ShownWidget,
        _ rendering: ImageRendering = ImageRendering()
    ) throws {
        var paintable = Paintable(try TestColor.red.image(100, 100).replacingBitmap(bitmap))
        paintable.rendering = rendering
        ImageDisplay(picture.widget).setImage(with: Optional<ImageRequest>.none, placeholder: paintable)
    }

    private func assertBoth(
        _ picture: ShownWidget,
        x: Int,
        y: Int,
        is color: TestColor,
        file: StaticString = #filePath,
        line: UInt = #line
    ) throws {
        XCTAssertEqual(PaintedPixels(picture.widget)?[x, y], color, "by Cairo", file: file, line: line)
        XCTAssertEqual(try RenderedWidget(picture.widget)[x, y], color, "by the renderer", file: file, line: line)
    }
}
