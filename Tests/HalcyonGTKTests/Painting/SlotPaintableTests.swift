import CGTK
import Halcyon
import XCTest

@testable import HalcyonGTK

/// The paintable of a slot: its size, what it draws, and its end.
@MainActor
final class SlotPaintableTests: XCTestCase {
    func testSizeIsThatOfWholeImageInPoints() async throws {
        try TestWindow.requireDisplay()
        let (paintable, reference) = SlotPaintable.make()
        var options = DecodeOptions()
        options.targetSize = PixelSize(100, 75)
        let file = try ImageCodecs.standard.encode(TestColor.red.bitmap(800, 600), as: .jpeg)
        var image = try ImageCodecs.standard.decode(file, options: options)
        XCTAssertLessThan(image.size.width, 800)
        image.scale = 2
        paintable.show(Paintable(image))
        XCTAssertEqual(gdk_paintable_get_intrinsic_width(reference.opaque), 400)
        XCTAssertEqual(gdk_paintable_get_intrinsic_height(reference.opaque), 300)
        XCTAssertEqual(gdk_paintable_get_intrinsic_aspect_ratio(reference.opaque), 4.0 / 3)
        image = try TestColor.red.image(3, 1)
        image.scale = 2
        paintable.show(Paintable(image))
        XCTAssertEqual(gdk_paintable_get_intrinsic_width(reference.opaque), 2)
        XCTAssertEqual(gdk_paintable_get_intrinsic_height(reference.opaque), 1)
        XCTAssertEqual(gdk_paintable_get_intrinsic_aspect_ratio(reference.opaque), 3)
    }

    func testEmptyPaintableHasNoSizeAndDrawsNothing() async throws {
        try TestWindow.requireDisplay()
        let (_, reference) = SlotPaintable.make()
        XCTAssertEqual(gdk_paintable_get_intrinsic_width(reference.opaque), 0)
        XCTAssertEqual(gdk_paintable_get_intrinsic_aspect_ratio(reference.opaque), 0)
        XCTAssertNil(node(of: reference))
        let image = try ObjectReference(adopting: UnsafeMutableRawPointer(XCTUnwrap(currentImage(of: reference))))
        XCTAssertEqual(gdk_paintable_get_intrinsic_width(image.opaque), 0)
    }

    func testCurrentImageStaysAndHasItsSize() async throws {
        try TestWindow.requireDisplay()
        let (paintable, reference) = SlotPaintable.make()
        var first = try TestColor.red.image(40, 30)
        first.scale = 2
        paintable.show(Paintable(first))
        let image = try ObjectReference(adopting: UnsafeMutableRawPointer(XCTUnwrap(currentImage(of: reference))))
        paintable.show(Paintable(try TestColor.blue.image(10, 10)))
        XCTAssertEqual(gdk_paintable_get_intrinsic_width(image.opaque), 20)
        XCTAssertEqual(gdk_paintable_get_intrinsic_height(image.opaque), 15)
        let texture = try XCTUnwrap(Paintable(image.pointer).texture(limit: 64))
        XCTAssertEqual(firstPixel(of: texture), [0, 0, 255, 255])
    }

    func testDrawingLeavesSnapshotBalanced() async throws {
        try TestWindow.requireDisplay()
        let (paintable, reference) = SlotPaintable.make()
        let images = [Paintable(try TestColor.red.image()), Paintable(try TestColor.blue.image())]
        let picture = try ObjectReference(
            adopting: g_object_ref_sink(UnsafeMutableRawPointer(XCTUnwrap(gtk_picture_new())))
        )
        var rendering = ImageRendering()
        rendering.isSymbolic = true
        rendering.mirrorsInRightToLeft = true
        let unbalanced = ImageTransition.custom(.seconds(1)) { frame in
            gtk_snapshot_save(OpaquePointer(frame.snapshot))
            gtk_snapshot_push_opacity(OpaquePointer(frame.snapshot), 0.5)
            frame.drawNext()
        }
        for transition in [.none, .fade(1), .flipFromLeft(.seconds(1)), .flipFromTop(.seconds(1)), unbalanced] {
            for rendering in [ImageRendering(), rendering] {
                var (previous, next) = (images[0], images[1])
                (previous.rendering, next.rendering) = (rendering, rendering)
                paintable.show(previous)
                let pass = TransitionPass(transition, from: previous) { PaintingPlace(picture.pointer) }
                paintable.show(next, through: pass)
                for progress in [0, 0.25, 0.75] {
                    paintable.advance(to: progress)
                    // The colour after it would be lost in what was left pushed.
                    let snapshot = try XCTUnwrap(gtk_snapshot_new())
                    gdk_paintable_snapshot(reference.opaque, snapshot, 50, 50)
                    var color = GdkRGBA(red: 0, green: 1, blue: 0, alpha: 1)
                    var bounds = graphene_rect_t()
                    graphene_rect_init(&bounds, 100, 0, 10, 10)
                    gtk_snapshot_append_color(snapshot, &color, &bounds)
                    let node = try XCTUnwrap(gtk_snapshot_free_to_node(snapshot))
                    defer { gsk_render_node_unref(node) }
                    XCTAssertEqual(gsk_render_node_get_node_type(node), GSK_CONTAINER_NODE)
                    let count = gsk_container_node_get_n_children(node)
                    let last = gsk_container_node_get_child(node, count - 1)
                    XCTAssertEqual(gsk_render_node_get_node_type(last), GSK_COLOR_NODE)
                }
            }
        }
    }

    func testPlaceholderThatChangesByItselfIsDrawnAnew() async throws {
        let picture = try await TestPicture()
        defer { picture.destroy() }
        let changing = ImagePaintable()
        changing.hc.show(try TestColor.red.image())
        picture.display.setImage(with: Optional<ImageRequest>.none, placeholder: changing)
        let first = await picture.color()
        XCTAssertEqual(first, .red)
        changing.hc.show(try TestColor.blue.image(40, 20))
        await MainLoop.run { picture.frames.frames.last?.middle == .blue }
        let paintable = gtk_picture_get_paintable(OpaquePointer(picture.widget))
        XCTAssertEqual(gdk_paintable_get_intrinsic_width(paintable), 40)
        picture.display.show(try TestColor.green.image())
        changing.hc.show(try TestColor.yellow.image())
        let last = await picture.color()
        XCTAssertEqual(last, .green)
    }

    func testPaintableThatIsItsOwnPlaceholderGoesOn() async throws {
        let picture = try await TestPicture()
        picture.display.show(try TestColor.red.image())
        let own = try UnsafeMutableRawPointer(XCTUnwrap(gtk_picture_get_paintable(OpaquePointer(picture.widget))))
        let weak = WeakObjectReference(own)
        picture.display.setImage(with: Optional<ImageRequest>.none, placeholder: Paintable(own))
        let color = await picture.color()
        XCTAssertEqual(color, .red)
        picture.destroy()
        await MainLoop.run { weak.object == nil }
    }

    func testPaintablesThatShowEachOtherAreDrawn() async throws {
        try TestWindow.requireDisplay()
        let (first, second) = (ImagePaintable(), ImagePaintable())
        first.hc.setImage(with: Optional<ImageRequest>.none, placeholder: second)
        second.hc.setImage(with: Optional<ImageRequest>.none, placeholder: first)
        XCTAssertNil(node(of: ObjectReference(retaining: first.pointer)))
        first.hc.show(try TestColor.red.image())
        XCTAssertNotNil(node(of: ObjectReference(retaining: second.pointer)).map(gsk_render_node_unref))
    }

    private func node(of reference: ObjectReference) -> OpaquePointer? {
        let snapshot = gtk_snapshot_new()
        gdk_paintable_snapshot(reference.opaque, snapshot, 50, 50)
        return snapshot.flatMap { gtk_snapshot_free_to_node($0) }
    }

    private func currentImage(of reference: ObjectReference) -> OpaquePointer? {
        gdk_paintable_get_current_image(reference.opaque)
    }

    /// Blue, green, red and alpha.
    private func firstPixel(of texture: ObjectReference) -> [UInt8] {
        let width = Int(gdk_texture_get_width(texture.opaque))
        var pixels = [UInt8](repeating: 0, count: width * Int(gdk_texture_get_height(texture.opaque)) * 4)
        pixels.withUnsafeMutableBytes {
            gdk_texture_download(texture.opaque, $0.baseAddress?.assumingMemoryBound(to: guchar.self), gsize(width * 4))
        }
        return Array(pixels.prefix(4))
    }
}
