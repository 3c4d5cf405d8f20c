import CGTK
import Halcyon
import HalcyonTesting
import XCTest

@testable import HalcyonGTK

/// Handlers of signals that GTK sends while Halcyon is at work, or while a widget ends.
@MainActor
final class DisplayHandlerTests: XCTestCase {
    /// Calls a closure at the first signals of an object, in the middle of what sends them.
    private final class Reaction {
        private let react: @MainActor () -> Void
        private var limit: Int

        init(limit: Int = 1, _ react: @escaping @MainActor () -> Void) {
            self.limit = limit
            self.react = react
        }

        @MainActor
        func run() {
            guard limit > 0 else { return }
            limit -= 1
            react()
        }

        /// It must exist for as long as the object does.
        @MainActor
        func connect(to object: UnsafeMutableRawPointer, _ signal: String) {
            let data = Unmanaged.passUnretained(self).toOpaque()
            if signal.hasPrefix("notify") {
                let handler: @convention(c) (gpointer?, gpointer?, gpointer?) -> Void = { _, _, data in
                    guard let data else { return }
                    let reaction = Unmanaged<Reaction>.fromOpaque(data).takeUnretainedValue()
                    MainActor.assumeIsolated { reaction.run() }
                }
                HalcyonGTK.connect(object, signal, handler, data)
            } else {
                let handler: @convention(c) (gpointer?, gpointer?) -> Void = { _, data in
                    guard let data else { return }
                    let reaction = Unmanaged<Reaction>.fromOpaque(data).takeUnretainedValue()
                    MainActor.assumeIsolated { reaction.run() }
                }
                HalcyonGTK.connect(object, signal, handler, data)
            }
        }
    }

    private func animated() async throws -> DecodedImage {
        let loads = ViewPipeline()
        let url = loads.url()
        loads.transport.setRoute(url, ScriptedTransport.Route(body: try TestColor.animation(milliseconds: 20)))
        return try await loads.pipeline.response(for: url).image
    }

    /// The image of the inner call is the last; the outer one does not begin to play over it.
    func testImageThatIsReplacedInItsOwnNotificationDoesNotPlay() async throws {
        try TestWindow.requireDisplay()
        let object = try TestObject.make()
        defer { g_object_unref(object) }
        let display = ImageDisplay(object, slot: .property("texture"))
        display.show(try TestColor.red.image())
        let still = try TestColor.blue.image(40, 40)
        let reaction = Reaction { display.show(still) }
        reaction.connect(to: object, "notify::texture")
        let animated = try await animated()
        XCTAssertNotNil(animated.animation)
        display.show(animated)
        XCTAssertEqual(display.image?.size, PixelSize(40, 40))
        XCTAssertNil(display.player)
        XCTAssertEqual(
            TestObject.value(of: object, "texture").map { gdk_texture_get_width(OpaquePointer($0)) },
            40
        )
        withExtendedLifetime(reaction) {}
    }

    /// The transition of the inner call is its own: both calls are completed.
    func testCallInTheNotificationOfAnotherIsCompleted() async throws {
        let picture = try await TestPicture()
        defer { picture.destroy() }
        let loads = ViewPipeline()
        let (first, second) = (Completions(), Completions())
        let known = try loads.url(.blue)
        try await loads.preload(known)
        picture.display.setImage(with: loads.url(), pipeline: loads.pipeline, completion: first.handler)
        let transfer = await loads.transport.nextTransfer()
        let reaction = Reaction {
            picture.display.setImage(
                with: known,
                options: [.transition(.fade(.milliseconds(50))), .forceTransition],
                pipeline: loads.pipeline,
                completion: second.handler
            )
        }
        let paintable = try XCTUnwrap(gtk_picture_get_paintable(OpaquePointer(picture.widget)))
        reaction.connect(to: UnsafeMutableRawPointer(paintable), "invalidate-contents")
        try transfer.answer(.red)
        await first.wait()
        await second.wait()
        XCTAssertEqual([first.count, second.count], [1, 1])
        let color = await picture.color()
        XCTAssertEqual(color, .blue)
        withExtendedLifetime(reaction) {}
    }

    /// A widget whose first image is set by a handler of its end keeps nothing.
    func testImageThatIsSetWhileTheWidgetIsDestroyedEndsWithIt() async throws {
        try TestWindow.requireDisplay()
        for slot in [WidgetSlot.image, .property("paintable")] {
            let widget = UnsafeMutableRawPointer(nonnull(g_object_ref_sink(nonnull(gtk_picture_new()))))
            let image = try TestColor.red.image()
            var paintable: WeakReference<SlotPaintable>?
            let reaction = Reaction {
                ImageDisplay(widget, slot: slot).show(image)
                paintable = WeakReference(
                    WidgetState.existing(widget)?.existingController(for: slot)?.paintable
                )
            }
            reaction.connect(to: widget, "destroy")
            g_object_unref(widget)
            await MainLoop.run(within: .seconds(3)) { paintable != nil && paintable?.object == nil }
            withExtendedLifetime(reaction) {}
        }
    }

    /// Frames whose time is before that of the first, as where a clock is set back, do not draw a part below 0.
    func testTransitionDoesNotGoBelowItsBeginning() async throws {
        let place = try await TestPlace()
        defer { place.destroy() }
        let log = Log()
        place.display.show(try TestColor.red.image())
        place.display.show(
            try TestColor.blue.image(),
            transition: .custom(.seconds(600)) { frame in
                log.parts.append(frame.progress)
                frame.drawNext()
            }
        )
        place.controller?.transitionStart = .microseconds(g_get_monotonic_time()) + .seconds(300)
        await MainLoop.run { log.parts.count > 3 }
        XCTAssertTrue(log.parts.allSatisfy { (0...1).contains($0) }, "\(log.parts)")
    }

    /// Where there is no widget, there are no frames.
    func testAnimatedImageWithoutWidgetShowsItsFirstFrame() async throws {
        try TestWindow.requireDisplay()
        let image = ImagePaintable()
        image.hc.show(try await animated())
        let player = try XCTUnwrap(image.hc.player)
        XCTAssertNotEqual(player.state, .playing)
        await MainLoop.settle()
        XCTAssertEqual(player.frame.index, 0)
    }

    @MainActor
    private final class Log {
        var parts: [Double] = []
    }
}
