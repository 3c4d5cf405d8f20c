#if GTK
import CGTK
import Halcyon
import HalcyonTesting
import XCTest

@testable import HalcyonGTK

/// Images in properties of objects that are no widgets.
@MainActor
final class PropertySlotTests: XCTestCase {
    func testPaintablePropertyOfObjectIsItsImage() async throws {
        try TestWindow.requireDisplay()
        let object = try TestObject.make()
        defer { g_object_unref(object) }
        let loads = ViewPipeline()
        let done = Completions()
        let display = ImageDisplay(object)
        display.setImage(with: try loads.url(.blue, 80, 60), pipeline: loads.pipeline, completion: done.handler)
        await done.wait()
        XCTAssertEqual(done.outcome, "success")
        let paintable = try OpaquePointer(XCTUnwrap(TestObject.value(of: object, "paintable")))
        XCTAssertEqual(gdk_paintable_get_intrinsic_width(paintable), 80)
        XCTAssertEqual(gdk_paintable_get_intrinsic_height(paintable), 60)
        display.remove()
        XCTAssertNil(TestObject.value(of: object, "paintable"))
    }

    func testPropertyIsEmptyWithoutImageAndSetAnewForAnotherSize() async throws {
        try TestWindow.requireDisplay()
        let object = try TestObject.make()
        defer { g_object_unref(object) }
        let reaction = Reaction {}
        reaction.connect(to: object, "notify::paintable")
        let display = ImageDisplay(object)
        display.setImage(with: Optional<ImageRequest>.none)
        XCTAssertEqual(reaction.count, 0)
        var counts: [Int] = []
        for (color, width) in [(TestColor.red, 80), (.blue, 80), (.red, 40)] {
            display.show(try color.image(width, 20))
            counts.append(reaction.count)
            XCTAssertNotNil(TestObject.value(of: object, "paintable"))
        }
        XCTAssertEqual(counts, [1, 1, 2])
        display.show(nil)
        XCTAssertNil(TestObject.value(of: object, "paintable"))
    }

    func testTexturePropertyGetsTextureOfImage() async throws {
        try TestWindow.requireDisplay()
        let object = try TestObject.make()
        defer { g_object_unref(object) }
        let loads = ViewPipeline()
        let done = Completions()
        let display = ImageDisplay(object, slot: .property("texture"))
        display.setImage(
            with: loads.url(),
            placeholder: try TestColor.red.image(30, 20),
            pipeline: loads.pipeline,
            completion: done.handler
        )
        let placeholder = try OpaquePointer(XCTUnwrap(TestObject.value(of: object, "texture")))
        XCTAssertEqual(gdk_texture_get_width(placeholder), 30)
        try await loads.transport.nextTransfer().answer(.blue)
        await done.wait()
        let image = try XCTUnwrap(display.image)
        XCTAssertEqual(TestObject.value(of: object, "texture"), Paintable(image).pointer)
        display.show(nil)
        XCTAssertNil(TestObject.value(of: object, "texture"))
    }

    func testDrawingOfProgramBecomesTexture() async throws {
        try TestWindow.requireDisplay()
        let object = try TestObject.make()
        defer { g_object_unref(object) }
        let image = ImagePaintable()
        image.hc.show(try TestColor.red.image(30, 20))
        ImageDisplay(object, slot: .property("texture")).setImage(with: Optional<ImageRequest>.none, placeholder: image)
        let texture = try OpaquePointer(XCTUnwrap(TestObject.value(of: object, "texture")))
        XCTAssertEqual(gdk_texture_get_width(texture), 30)
        XCTAssertEqual(gdk_texture_get_height(texture), 20)
    }

    func testDrawingIsMadeAnewOnlyWhenItChanges() async throws {
        try TestWindow.requireDisplay()
        let object = try TestObject.make()
        defer { g_object_unref(object) }
        let image = ImagePaintable()
        image.hc.show(try TestColor.red.image(30, 20))
        let display = ImageDisplay(object, slot: .property("texture"))
        display.setImage(with: Optional<ImageRequest>.none, placeholder: image)
        let texture = try XCTUnwrap(TestObject.value(of: object, "texture"))
        let kept = ObjectReference(retaining: texture)
        let controller = WidgetState.existing(object)?.existingController(for: .property("texture"))
        let paintable = try XCTUnwrap(controller?.paintable)
        paintable.invalidateContents()
        XCTAssertEqual(TestObject.value(of: object, "texture"), kept.pointer)
        image.hc.show(try TestColor.green.image(30, 20))
        XCTAssertNotEqual(TestObject.value(of: object, "texture"), kept.pointer)
    }

    func testTextureOfProgramStays() async throws {
        try TestWindow.requireDisplay()
        let object = try TestObject.make()
        defer { g_object_unref(object) }
        let display = ImageDisplay(object, slot: .property("texture"))
        display.show(try TestColor.red.image())
        let own = Paintable(try TestColor.green.image())
        cgtk_set_object_property(object, "texture", own.pointer)
        display.show(try TestColor.blue.image())
        XCTAssertEqual(TestObject.value(of: object, "texture"), own.pointer)
        display.remove()
        XCTAssertEqual(TestObject.value(of: object, "texture"), own.pointer)
    }

    func testSlotsOfObjectEndWithIt() async throws {
        try TestWindow.requireDisplay()
        let object = try TestObject.make()
        let loads = ViewPipeline()
        let done = [Completions(), Completions()]
        let display = ImageDisplay(object)
        let placeholder = try TestColor.red.image()
        display.setImage(
            with: loads.url(),
            placeholder: placeholder,
            options: [.indicator(.spinner)],
            pipeline: loads.pipeline,
            completion: done[0].handler
        )
        display[.property("texture")].setImage(
            with: loads.url(),
            placeholder: placeholder,
            options: [.indicator(.spinner)],
            pipeline: loads.pipeline,
            completion: done[1].handler
        )
        let transfers = [await loads.transport.nextTransfer(), await loads.transport.nextTransfer()]
        weak var state: AnyObject?
        state = WidgetState.existing(object)
        XCTAssertNotNil(state)
        g_object_unref(object)
        for done in done { await done.wait() }
        XCTAssertEqual(done.map(\.outcome), ["superseded", "superseded"])
        for transfer in transfers { await transfer.waitUntilCancelled() }
        XCTAssertNil(state)
    }

    func testPropertiesOfOtherTypesAreUnsupported() async throws {
        try TestWindow.requireDisplay()
        let label = try XCTUnwrap(gtk_label_new("a"))
        let window = try TestWindow(child: label)
        defer { window.destroy() }
        // A string, a widget, a property that cannot be written, and none at all.
        for name in ["label", "mnemonic-widget", "root", "no such property"] {
            let done = Completions()
            ImageDisplay(label, slot: .property(name)).setImage(with: ViewPipeline().url(), completion: done.handler)
            XCTAssertEqual(done.outcome, "unsupported", name)
        }
    }

    func testProgramMaySetImageWhenPropertyChanges() async throws {
        try TestWindow.requireDisplay()
        let object = try TestObject.make()
        defer { g_object_unref(object) }
        let image = try TestColor.blue.image()
        let reaction = Reaction { ImageDisplay(object).show(image) }
        reaction.connect(to: object, "notify::paintable")
        ImageDisplay(object).show(try TestColor.red.image())
        XCTAssertEqual(reaction.count, 1)
        XCTAssertNotNil(ImageDisplay(object).image)
        let paintable = WidgetState.existing(object)?.existingController(for: .image)?.paintable
        XCTAssertEqual(TestObject.value(of: object, "paintable").flatMap(SlotPaintable.existing) === paintable, true)
    }

    /// A property whose indicator ends is empty for a moment.
    func testProgramMayCallWhenIndicatorEnds() async throws {
        try TestWindow.requireDisplay()
        for (isSame, fails) in [(false, false), (true, false), (false, true), (true, true)] {
            let object = try TestObject.make()
            defer { g_object_unref(object) }
            let loads = ViewPipeline()
            let display = ImageDisplay(object)
            let (first, second) = (Completions(), Completions())
            let url = loads.url()
            let other = try isSame ? url : loads.url(.green)
            let reaction = Reaction {
                guard second.count == 0, display.task?.request.source == .url(url), display.content == .nothing,
                    TestObject.value(of: object, "paintable") == nil
                else { return }
                display.setImage(
                    with: other,
                    options: isSame ? [.indicator(.spinner)] : [],
                    pipeline: loads.pipeline,
                    completion: second.handler
                )
            }
            display.setImage(
                with: url,
                options: [.indicator(.spinner)],
                pipeline: loads.pipeline,
                completion: first.handler
            )
            let transfer = await loads.transport.nextTransfer()
            await MainLoop.run { TestObject.value(of: object, "paintable") != nil }
            reaction.connect(to: object, "notify::paintable")
            if fails { transfer.fail(.cannotConnect("refused")) } else { try transfer.answer(.blue) }
            await second.wait()
            await MainLoop.settle()
            let name = "\(isSame), \(fails)"
            XCTAssertEqual(first.outcome, "superseded", name)
            XCTAssertEqual(second.outcome, isSame && fails ? "failure" : "success", name)
            XCTAssertEqual(display.task?.request.source, .url(other), name)
            XCTAssertEqual(display.task?.state, .finished, name)
            XCTAssertEqual(display.content, isSame && fails ? .nothing : .image, name)
        }
    }

    func testProgramMayCallWhenImageInMemoryIsSet() async throws {
        try TestWindow.requireDisplay()
        let object = try TestObject.make()
        defer { g_object_unref(object) }
        let loads = ViewPipeline()
        let display = ImageDisplay(object)
        let (first, second) = (Completions(), Completions())
        let url = try loads.url(.blue)
        try await loads.preload(url, options: [])
        let reaction = Reaction {
            guard first.count + second.count == 0 else { return }
            display.setImage(with: url, pipeline: loads.pipeline, completion: second.handler)
        }
        reaction.connect(to: object, "notify::paintable")
        display.setImage(with: url, pipeline: loads.pipeline, completion: first.handler)
        await second.wait()
        // That image has been shown.
        XCTAssertEqual([first.outcome, second.outcome], ["success", "success"])
        XCTAssertEqual(display.task?.state, .finished)
        XCTAssertEqual(display.content, .image)
    }

    func testProgramMayCallWhenCancellationEndsIndicator() async throws {
        try TestWindow.requireDisplay()
        let object = try TestObject.make()
        defer { g_object_unref(object) }
        let loads = ViewPipeline()
        let display = ImageDisplay(object)
        let (first, second) = (Completions(), Completions())
        let url = loads.url()
        let call = { (completion: @escaping ImageDisplay.Completion) in
            _ = display.setImage(
                with: url,
                options: [.indicator(.spinner)],
                pipeline: loads.pipeline,
                completion: completion
            )
        }
        call(first.handler)
        _ = await loads.transport.nextTransfer()
        await MainLoop.run { TestObject.value(of: object, "paintable") != nil }
        var hasCalled = false
        let reaction = Reaction {
            guard !hasCalled else { return }
            hasCalled = true
            call(second.handler)
        }
        reaction.connect(to: object, "notify::paintable")
        display.cancel()
        XCTAssertEqual(first.outcome, "cancelled")
        try await loads.transport.nextTransfer().answer(.blue)
        await second.wait()
        XCTAssertEqual(second.outcome, "success")
        XCTAssertEqual(display.task?.state, .finished)
        XCTAssertEqual(display.content, .image)
    }

    /// The end of the indicator and what is shown next are one change of the property.
    func testAnotherCallTakesTheIndicatorWithItsOwnChange() async throws {
        try TestWindow.requireDisplay()
        let object = try TestObject.make()
        defer { g_object_unref(object) }
        let loads = ViewPipeline()
        let display = ImageDisplay(object)
        let (first, second) = (Completions(), Completions())
        var emptyCount = 0
        var mayCall = true
        let url = try loads.url(.green)
        let reaction = Reaction {
            guard TestObject.value(of: object, "paintable") == nil else { return }
            emptyCount += 1
            guard mayCall else { return }
            mayCall = false
            display.setImage(with: url, pipeline: loads.pipeline, completion: second.handler)
        }
        let begin = {
            _ = display.setImage(
                with: loads.url(),
                options: [.indicator(.spinner)],
                pipeline: loads.pipeline,
                completion: first.handler
            )
            await MainLoop.run { TestObject.value(of: object, "paintable") != nil }
        }
        await begin()
        reaction.connect(to: object, "notify::paintable")
        let controller = try XCTUnwrap(WidgetState.existing(object)?.existingController(for: .image))
        display.show(try TestColor.red.image())
        XCTAssertEqual(emptyCount, 0)
        XCTAssertEqual(display.content, .image)
        XCTAssertNil(controller.paintable?.indicator)
        XCTAssertEqual(first.outcome, "superseded")

        mayCall = false
        await begin()
        mayCall = true
        display.setImage(with: nil as ImageRequest?)
        await second.wait()
        XCTAssertEqual(second.outcome, "success")
        XCTAssertNil(controller.paintable?.indicator)
        XCTAssertEqual(display.content, .image)
    }

    func testProgramMayCancelWhenIndicatorBegins() async throws {
        try TestWindow.requireDisplay()
        let object = try TestObject.make()
        defer { g_object_unref(object) }
        let loads = ViewPipeline()
        let display = ImageDisplay(object)
        let done = Completions()
        let reaction = Reaction { display.cancel() }
        reaction.connect(to: object, "notify::paintable")
        let animation = try ImageCodecs.standard.animatedImage(from: TestColor.animation())
        display.setImage(
            with: loads.url(),
            options: [.indicator(.image(animation))],
            pipeline: loads.pipeline,
            completion: done.handler
        )
        await done.wait()
        XCTAssertEqual(done.outcome, "cancelled")
        let controller = try XCTUnwrap(WidgetState.existing(object)?.existingController(for: .image))
        XCTAssertNil(controller.indicatorPlayer)
        XCTAssertNil(controller.paintable?.indicator)
        XCTAssertNil(TestObject.value(of: object, "paintable"))
    }
}

/// Runs a closure at a signal of an object that passes a property.
@MainActor
private final class Reaction {
    private let react: () -> Void
    private(set) var count = 0

    init(_ react: @escaping () -> Void) {
        self.react = react
    }

    /// It must exist for as long as the object does.
    func connect(to object: UnsafeMutableRawPointer, _ signal: String) {
        let handler: @convention(c) (gpointer?, gpointer?, gpointer?) -> Void = { _, _, data in
            guard let data else { return }
            let reaction = Unmanaged<Reaction>.fromOpaque(data).takeUnretainedValue()
            MainActor.assumeIsolated {
                reaction.count += 1
                reaction.react()
            }
        }
        HalcyonGTK.connect(object, signal, handler, Unmanaged.passUnretained(self).toOpaque())
    }
}
#endif
