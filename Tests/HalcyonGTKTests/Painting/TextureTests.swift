import CGTK
import Halcyon
import XCTest

@testable import HalcyonGTK

/// One texture for the same pixels, and none that is left over.
@MainActor
final class TextureTests: XCTestCase {
    func testSamePixelsHaveOneTexture() async throws {
        try TestWindow.requireDisplay()
        let image = try TestColor.red.image()
        let copy = image
        let (first, second) = (Paintable(image), Paintable(copy))
        XCTAssertEqual(first.pointer, second.pointer)
        XCTAssertNotEqual(first.pointer, Paintable(try TestColor.red.image()).pointer)
    }

    func testWidgetsShareTexture() async throws {
        try TestWindow.requireDisplay()
        let box = try XCTUnwrap(gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0))
        let pictures = [try XCTUnwrap(gtk_picture_new()), try XCTUnwrap(gtk_picture_new())]
        for picture in pictures {
            gtk_box_append(UnsafeMutableRawPointer(box).assumingMemoryBound(to: GtkBox.self), picture)
        }
        let window = try TestWindow(child: box)
        defer { window.destroy() }
        await window.present()
        let loads = ViewPipeline()
        let url = try loads.url(.blue)
        let before = TextureTable.count
        for picture in pictures {
            let done = Completions()
            ImageDisplay(picture).setImage(
                with: url,
                options: [.sizing(.image)],
                pipeline: loads.pipeline,
                completion: done.handler
            )
            await done.wait()
            XCTAssertEqual(done.outcome, "success")
        }
        let shown = pictures.map {
            WidgetState.existing(UnsafeMutableRawPointer($0))?.existingController(for: .image)?.paintable?.current?
                .pointer
        }
        XCTAssertNotNil(shown[0])
        XCTAssertEqual(shown[0], shown[1])
        XCTAssertEqual(TextureTable.count, before + 1)
    }

    func testNothingIsLeftOfTexture() async throws {
        try TestWindow.requireDisplay()
        let before = TextureTable.count
        var image: DecodedImage? = try TestColor.red.image()
        weak var buffer: AnyObject?
        buffer = image?.bitmap.buffer
        var paintables = try [Paintable(XCTUnwrap(image)), Paintable(XCTUnwrap(image))]
        let texture = WeakObjectReference(paintables[0].pointer)
        image = nil
        XCTAssertNotNil(buffer)
        XCTAssertEqual(TextureTable.count, before + 1)
        paintables.removeLast()
        XCTAssertNotNil(texture.object)
        paintables.removeLast()
        XCTAssertNil(texture.object)
        XCTAssertNil(buffer)
        XCTAssertEqual(TextureTable.count, before)
    }

    func testTextureThatEndsOnAnotherThreadLeavesNoEntry() async throws {
        try TestWindow.requireDisplay()
        let before = TextureTable.count
        var paintable: Paintable? = Paintable(try TestColor.red.image())
        let holder = try Holder(ObjectReference(retaining: XCTUnwrap(paintable?.pointer)))
        paintable = nil
        XCTAssertEqual(TextureTable.count, before + 1)
        try await holder.release()
        await MainLoop.run { TextureTable.count == before }
    }

    func testTextureKeepsPixelsThatAreChangedElsewhere() async throws {
        try TestWindow.requireDisplay()
        var bitmap = try TestColor.red.bitmap(8, 8)
        let texture = Texture.make(bitmap)
        bitmap.withUnsafeMutableBytes { _ = $0.initializeMemory(as: UInt8.self, repeating: 255) }
        var pixels = [UInt8](repeating: 0, count: 8 * 8 * 4)
        pixels.withUnsafeMutableBytes {
            gdk_texture_download(texture.opaque, $0.baseAddress?.assumingMemoryBound(to: guchar.self), 32)
        }
        XCTAssertEqual(Array(pixels.prefix(4)), [0, 0, 255, 255])
        XCTAssertNotEqual(Texture.make(bitmap).pointer, texture.pointer)
    }
}

/// Lets go of an object on another thread.
private actor Holder {
    private var reference: ObjectReference?

    init(_ reference: sending ObjectReference) {
        self.reference = reference
    }

    func release() throws {
        _ = try XCTUnwrap(reference)
        reference = nil
    }
}
