import CGTK
import Halcyon
import HalcyonTesting
import XCTest

@testable import HalcyonGTK

/// Images in properties of objects that are no widgets.
@MainActor
final class PropertySlotTests: XCTestCase {
    func testPaintablePropertyOfObjectIsItsImage() async throws {
        let test = try PropertyImage()
        defer { test.end() }
        let (display, loads) = (test.display, test.loads)
        let done = Completions()
        display.setImage(with: try loads.url(.blue, 80, 60), pipeline: loads.pipeline, completion: done.handler)
        await done.wait()
        XCTAssertEqual(done.outcome, "success")
        let paintable = try OpaquePointer(XCTUnwrap(test.value))
        XCTAssertEqual(gdk_paintable_get_intrinsic_width(paintable), 80)
        XCTAssertEqual(gdk_paintable_get_intrinsic_height(paintable), 60)
        display.remove()
        XCTAssertNil(test.value)
    }

    func testPropertyIsEmptyWithoutImageAndSetAnewForAnotherSize() async throws {
        let test = try PropertyImage()
        defer { test.end() }
        let reaction = Reaction {}
        test.connect(reaction)
        let display = test.display
        display.setImage(with: Optional<ImageRequest>.none)
        XCTAssertEqual(reaction.count, 0)
        var counts: [Int] = []
        for (color, width) in [(TestColor.red, 80), (.blue, 80), (.red, 40)] {
            display.show(try color.image(width, 20))
            counts.append(reaction.count)
            XCTAssertNotNil(test.value)
        }
        XCTAssertEqual(counts, [1, 1, 2])
        display.show(nil)
        XCTAssertNil(test.value)
    }

    func testTexturePropertyGetsTextureOfImage() async throws {
        let test = try PropertyImage("texture")
        defer { test.end() }
        let (display, loads) = (test.display, test.loads)
        let done = Completions()
        display.setImage(
            with: loads.url(),
            placeholder: try TestColor.red.image(30, 20),
            pipeline: loads.pipeline,
            completion: done.handler
        )
        let placeholder = try OpaquePointer(XCTUnwrap(test.value))
        XCTAssertEqual(gdk_texture_get_width(placeholder), 30)
        try await loads.transport.nextTransfer().answer(.blue)
        await done.wait()
        let image = try XCTUnwrap(display.image)
        XCTAssertEqual(test.value, Paintable(image).pointer)
        display.show(nil)
        XCTAssertNil(test.value)
    }

    func testDrawingOfProgramBecomesTexture() async throws {
        let test = try PropertyImage("texture")
        defer { test.end() }
        let image = ImagePaintable()
        image.hc.show(try TestColor.red.image(30, 20))
        test.display.setImage(with: Optional<ImageRequest>.none, placeholder: image)
        let texture = try OpaquePointer(XCTUnwrap(test.value))
        XCTAssertEqual(gdk_texture_get_width(texture), 30)
        XCTAssertEqual(gdk_texture_get_height(texture), 20)
    }

    func testDrawingIsMadeAnewOnlyWhenItChanges() async throws {
        let test = try PropertyImage("texture")
        defer { test.end() }
        let image = ImagePaintable()
        image.hc.show(try TestColor.red.image(30, 20))
        test.display.setImage(with: Optional<ImageRequest>.none, placeholder: image)
        let texture = try XCTUnwrap(test.value)
        let kept = ObjectReference(retaining: texture)
        let paintable = try XCTUnwrap(test.controller?.paintable)
        paintable.invalidateContents()
        XCTAssertEqual(test.value, kept.pointer)
        image.hc.show(try TestColor.green.image(30, 20))
        XCTAssertNotEqual(test.value, kept.pointer)
    }

    func testTextureOfProgramStays() async throws {
        let test = try PropertyImage("texture")
        defer { test.end() }
        let display = test.display
        display.show(try TestColor.red.image())
        let own = Paintable(try TestColor.green.image())
        cgtk_set_object_property(test.object, "texture", own.pointer)
        test.controller?.paintable?.show(Paintable(try TestColor.blue.image()))
        XCTAssertEqual(test.value, own.pointer)
        display.remove()
        XCTAssertEqual(test.value, own.pointer)
    }

    func testSlotsOfObjectEndWithIt() async throws {
        let test = try PropertyImage()
        let (display, loads) = (test.display, test.loads)
        let done = [Completions(), Completions()]
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
        state = WidgetState.existing(test.object)
        XCTAssertNotNil(state)
        test.end()
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
        let test = try PropertyImage()
        defer { test.end() }
        let display = test.display
        let image = try TestColor.blue.image()
        let reaction = Reaction { display.show(image) }
        test.connect(reaction)
        display.show(try TestColor.red.image())
        XCTAssertEqual(reaction.count, 1)
        XCTAssertNotNil(display.image)
        let paintable = test.controller?.paintable
        XCTAssertEqual(test.value.flatMap(SlotPaintable.existing) === paintable, true)
    }

    /// A property whose indicator ends is empty for a moment.
    func testProgramMayCallWhenIndicatorEnds() async throws {
        for (isSame, fails) in [(false, false), (true, false), (false, true), (true, true)] {
            let test = try PropertyImage()
            defer { test.end() }
            let (display, loads) = (test.display, test.loads)
            let (first, second) = (Completions(), Completions())
            let url = loads.url()
            let other = try isSame ? url : loads.url(.green)
            let reaction = Reaction {
                guard second.count == 0, display.task?.request.source == .url(url), display.content == .nothing,
                    test.value == nil
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
            await MainLoop.run { test.value != nil }
            test.connect(reaction)
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
        let test = try PropertyImage()
        defer { test.end() }
        let (display, loads) = (test.display, test.loads)
        let (first, second) = (Completions(), Completions())
        let url = try loads.url(.blue)
        try await loads.preload(url, options: [])
        let reaction = Reaction {
            guard first.count + second.count == 0 else { return }
            display.setImage(with: url, pipeline: loads.pipeline, completion: second.handler)
        }
        test.connect(reaction)
        display.setImage(with: url, pipeline: loads.pipeline, completion: first.handler)
        await second.wait()
        // That image has been shown.
        XCTAssertEqual([first.outcome, second.outcome], ["success", "success"])
        XCTAssertEqual(display.task?.state, .finished)
        XCTAssertEqual(display.content, .image)
    }

    func testProgramMayCallWhenCancellationEndsIndicator() async throws {
        let test = try PropertyImage()
        defer { test.end() }
        let (display, loads) = (test.display, test.loads)
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
        await MainLoop.run { test.value != nil }
        var hasCalled = false
        let reaction = Reaction {
            guard !hasCalled else { return }
            hasCalled = true
            call(second.handler)
        }
        test.connect(reaction)
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
        let test = try PropertyImage()
        defer { test.end() }
        let (display, loads) = (test.display, test.loads)
        let (first, second) = (Completions(), Completions())
        var emptyCount = 0
        var mayCall = true
        let url = try loads.url(.green)
        let reaction = Reaction {
            guard test.value == nil else { return }
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
            await MainLoop.run { test.value != nil }
        }
        await begin()
        test.connect(reaction)
        let controller = try XCTUnwrap(test.controller)
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
        let test = try PropertyImage()
        defer { test.end() }
        let (display, loads) = (test.display, test.loads)
        let done = Completions()
        let reaction = Reaction { display.cancel() }
        test.connect(reaction)
        let animation = try ImageCodecs.standard.animatedImage(from: TestColor.animation())
        display.setImage(
            with: loads.url(),
            options: [.indicator(.image(animation))],
            pipeline: loads.pipeline,
            completion: done.handler
        )
        await done.wait()
        XCTAssertEqual(done.outcome, "cancelled")
        let controller = try XCTUnwrap(test.controller)
        XCTAssertNil(controller.indicatorPlayer)
        XCTAssertNil(controller.paintable?.indicator)
        XCTAssertNil(test.value)
    }
}

/// An object with an image in one of its properties.
@MainActor
private final class PropertyImage {
    let object: UnsafeMutableRawPointer
    let display: ImageDisplay
    let loads = ViewPipeline()
    private let property: String

    init(_ property: String = "paintable") throws {
        try TestWindow.requireDisplay()
        self.property = property
        object = try TestObject.make()
        display = ImageDisplay(object, slot: property == "paintable" ? .image : .property(property))
    }

    var value: UnsafeMutableRawPointer? { TestObject.value(of: object, property) }

    var controller: SlotController? { WidgetState.existing(object)?.existingController(for: display.slot) }

    /// Runs a reaction at each change of the property. It must exist for as long as the object does.
    func connect(_ reaction: Reaction) { reaction.connect(to: object, "notify::\(property)") }

    func end() { g_object_unref(object) }
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
