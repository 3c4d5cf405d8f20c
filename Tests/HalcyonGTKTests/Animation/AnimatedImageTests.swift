import CGTK
import Halcyon
import HalcyonTesting
import XCTest

@testable import HalcyonGTK

/// Animated images in a window.
@MainActor
final class AnimatedImageTests: XCTestCase {
    private let loads = ViewPipeline()

    override func tearDown() async throws {
        await MainActor.run { Motion.set(true) }
    }

    private func load(
        _ data: Data,
        in place: TestPlace,
        playback: AnimationPlayback = AnimationPlayback()
    ) async throws {
        let done = Completions()
        let url = loads.url()
        loads.transport.setRoute(url, ScriptedTransport.Route(body: data))
        place.display.setImage(
            with: url,
            options: [.playback(playback)],
            pipeline: loads.pipeline,
            completion: done.handler
        )
        await done.wait()
        XCTAssertEqual(done.outcome, "success")
    }

    func testFramesArePaintedAtTheSizeOfTheWidget() async throws {
        let place = try await TestPlace()
        defer { place.destroy() }
        let painted = try PaintedFrames(place.widget)
        defer { painted.stop() }
        try await load(TestColor.animation(milliseconds: 40, width: 400, height: 400), in: place)
        let player = try XCTUnwrap(place.display.player)
        await MainLoop.run { [.red, .green, .blue].allSatisfy(painted.colors.contains) }
        XCTAssertEqual(player.frame.image.size, PixelSize(100, 100))
        // The natural size does not change from frame to frame.
        XCTAssertEqual(gdk_paintable_get_intrinsic_width(gtk_picture_get_paintable(place.picture)), 400)
    }

    func testImagePlaysOnAtALargerSizeWhenTheWidgetGrows() async throws {
        let place = try await TestPlace()
        defer { place.destroy() }
        try await load(TestColor.animation(milliseconds: 20, width: 400, height: 400), in: place)
        let player = try XCTUnwrap(place.display.player)
        await MainLoop.run { player.loopCount > 0 }
        await place.resize(300, 300)
        await MainLoop.run { place.imageSize == PixelSize(300, 300) }
        let larger = try XCTUnwrap(place.display.player)
        XCTAssertTrue(player === larger)
        XCTAssertEqual(larger.state, .playing)
        let loops = larger.loopCount
        await MainLoop.run { larger.loopCount > loops && larger.frame.image.size == PixelSize(300, 300) }
    }

    func testNothingIsPaintedWhileTheWidgetIsHidden() async throws {
        let place = try await TestPlace()
        defer { place.destroy() }
        try await load(TestColor.animation(milliseconds: 20), in: place)
        let player = try XCTUnwrap(place.display.player)
        await MainLoop.run { player.loopCount > 0 }
        place.setVisible(false)
        await place.waitForFrame()
        await MainLoop.settle()
        let (loops, frame) = (player.loopCount, player.frame.index)
        let painted = try PaintedFrames(place.box)
        defer { painted.stop() }
        // The frame that hides the widget may come late.
        var count = -1
        for _ in 0..<10 where count != painted.frames.count {
            count = painted.frames.count
            for _ in 0..<5 { await MainLoop.settle() }
        }
        XCTAssertEqual(player.loopCount, loops)
        XCTAssertLessThanOrEqual(abs(player.frame.index - frame), 1)
        XCTAssertEqual(painted.frames.count, count)
        place.setVisible(true)
        await MainLoop.run { player.loopCount > loops }
    }

    func testMinimisedWindowPauses() async throws {
        let place = try await TestPlace()
        defer { place.destroy() }
        try await load(TestColor.animation(milliseconds: 20), in: place)
        let visibility = try XCTUnwrap(place.controller?.visibility)
        XCTAssertTrue(visibility.isSeen)
        let player = try XCTUnwrap(place.display.player)
        try MinimisedState.set(true, place.window)
        await MainLoop.run { !visibility.isSeen }
        XCTAssertTrue(visibility.isMapped)
        let loops = player.loopCount
        await MainLoop.settle()
        await MainLoop.settle()
        XCTAssertLessThanOrEqual(player.loopCount, loops + 1)
        try MinimisedState.set(false, place.window)
        await MainLoop.run { player.loopCount > loops + 1 }
    }

    func testSettingOfTheUserIsFollowed() async throws {
        Motion.set(false)
        let place = try await TestPlace()
        defer { place.destroy() }
        try await load(TestColor.animation(milliseconds: 20), in: place)
        let player = try XCTUnwrap(place.display.player)
        XCTAssertEqual(player.state, .stopped)
        await place.waitForFrame()
        let color = try await place.rendered()[50, 50]
        XCTAssertEqual(color, .red)
        Motion.set(true)
        await MainLoop.run { player.loopCount > 0 }
        Motion.set(false)
        XCTAssertEqual(player.state, .stopped)
        XCTAssertEqual(player.frame.index, 0)
    }

    /// The property is that of a later GTK: another one of numbers stands in for it.
    func testReducedMotionIsFollowed() async throws {
        let property = "gtk-entry-password-hint-timeout"
        let original = WidgetVisibility.reducedMotionProperty
        WidgetVisibility.reducedMotionProperty = property
        func reduce(_ isReduced: Bool) {
            guard let settings = gtk_settings_get_default() else { return }
            var value = GValue()
            g_value_init(&value, GType(7 << 2))
            g_value_set_uint(&value, isReduced ? 1 : 0)
            let object = UnsafeMutableRawPointer(settings).assumingMemoryBound(to: GObject.self)
            g_object_set_property(object, property, &value)
            g_value_unset(&value)
        }
        reduce(false)
        defer {
            reduce(false)
            WidgetVisibility.reducedMotionProperty = original
        }
        let place = try await TestPlace()
        defer { place.destroy() }
        try await load(TestColor.animation(milliseconds: 20), in: place)
        let player = try XCTUnwrap(place.display.player)
        XCTAssertEqual(player.state, .playing)
        reduce(true)
        XCTAssertEqual(player.state, .stopped)
        reduce(false)
        await MainLoop.run { player.loopCount > 0 }
    }

    func testReplacedImageNoLongerPlays() async throws {
        let place = try await TestPlace()
        defer { place.destroy() }
        try await load(TestColor.animation(milliseconds: 20), in: place)
        let player = try XCTUnwrap(place.display.player)
        place.display.show(try TestColor.yellow.image())
        XCTAssertNil(place.display.player)
        player.seek(toFrame: 2)
        player.seek(toFrame: 1)
        await place.waitForFrame()
        await MainLoop.settle()
        let color = try await place.rendered()[50, 50]
        XCTAssertEqual(color, .yellow)
    }

    func testFrameWithinATransitionDoesNotEndIt() async throws {
        let place = try await TestPlace()
        defer { place.destroy() }
        let image = try ImageCodecs.standard.animatedImage(from: TestColor.animation(milliseconds: 20))
        place.display.show(image, transition: .fade(.seconds(600)))
        let player = try XCTUnwrap(place.display.player)
        await MainLoop.run { player.loopCount > 0 }
        XCTAssertEqual(place.controller?.transitionIsRunning, true)
    }

    func testFramesAreDroppedWhileTheWidgetIsHidden() async throws {
        let place = try await TestPlace()
        defer { place.destroy() }
        var playback = AnimationPlayback()
        playback.purgesFramesWhileUnmapped = true
        let before = AnimationFramePool.shared.frameCount
        try await load(TestColor.animation(milliseconds: 20, width: 120, height: 120), in: place, playback: playback)
        let player = try XCTUnwrap(place.display.player)
        await MainLoop.run { player.loopCount > 1 && AnimationFramePool.shared.frameCount >= before + 3 }
        place.setVisible(false)
        XCTAssertLessThan(AnimationFramePool.shared.frameCount, before + 3)
        let loops = player.loopCount
        place.setVisible(true)
        await MainLoop.run { player.loopCount > loops + 1 }
    }

    func testWidgetsThatShowTheSameImageShareItsFrames() async throws {
        let places = [try await TestPlace(), try await TestPlace()]
        defer { for place in places { place.destroy() } }
        let before = AnimationFramePool.shared.frameCount
        let url = loads.url()
        let data = try TestColor.animation(milliseconds: 20, width: 130, height: 130)
        loads.transport.setRoute(url, ScriptedTransport.Route(body: data))
        for place in places { place.display.setImage(with: url, pipeline: loads.pipeline) }
        await MainLoop.run { places.allSatisfy { ($0.display.player?.loopCount ?? 0) > 1 } }
        XCTAssertLessThanOrEqual(AnimationFramePool.shared.frameCount, before + 3)
    }

    func testAnimatedPlaceholderPlays() async throws {
        let place = try await TestPlace()
        defer { place.destroy() }
        let painted = try PaintedFrames(place.widget)
        defer { painted.stop() }
        let placeholder = try ImageCodecs.standard.animatedImage(from: TestColor.animation(milliseconds: 40))
        place.display.setImage(with: loads.url(), placeholder: placeholder, pipeline: loads.pipeline)
        await MainLoop.run { [.red, .green, .blue].allSatisfy(painted.colors.contains) }
        XCTAssertEqual(place.display.content, .placeholder)
    }

    func testStillImageHasNoPlayer() async throws {
        let place = try await TestPlace()
        defer { place.destroy() }
        try await load(TestColor.red.png(), in: place)
        XCTAssertNil(place.display.player)
    }

    func testPlaceholderPlaysWhateverThePlaybackOfTheImage() async throws {
        let picture = try await TestPicture()
        defer { picture.destroy() }
        let loads = ViewPipeline()
        var playback = AnimationPlayback()
        playback.startsAutomatically = false
        var eventCount = 0
        playback.onEvent = { _ in eventCount += 1 }
        picture.display.setImage(
            with: loads.url(),
            placeholder: try ImageCodecs.standard.animatedImage(from: TestColor.animation(milliseconds: 20)),
            options: [.playback(playback)],
            pipeline: loads.pipeline
        )
        let player = try XCTUnwrap(picture.display.player)
        await MainLoop.run { player.loopCount > 0 }
        XCTAssertEqual(eventCount, 0)
    }
}

/// The state that a window manager gives to a window of X11 which it has minimised.
@MainActor
enum MinimisedState {
    static func set(_ isMinimised: Bool, _ window: TestWindow) throws {
        try X11Display.require()
        let process = dlopen(nil, RTLD_NOW)
        func symbol<Function>(_ name: String, _: Function.Type) throws -> Function {
            guard let symbol = dlsym(process, name) else { throw XCTSkip("the display is not X11") }
            return unsafeBitCast(symbol, to: Function.self)
        }
        typealias SurfaceID = @convention(c) (OpaquePointer?) -> UInt
        typealias Display = @convention(c) (OpaquePointer?) -> OpaquePointer?
        typealias Atom = @convention(c) (OpaquePointer?, UnsafePointer<CChar>, Int32) -> UInt
        typealias Change =
            @convention(c) (
                OpaquePointer?, UInt, UInt, UInt, Int32, Int32, UnsafeRawPointer?, Int32
            ) -> Int32
        let surface = try XCTUnwrap(gtk_native_get_surface(OpaquePointer(window.window)))
        let id = try symbol("gdk_x11_surface_get_xid", SurfaceID.self)(surface)
        let display = try symbol("gdk_x11_display_get_xdisplay", Display.self)(gdk_surface_get_display(surface))
        let atom = try symbol("XInternAtom", Atom.self)
        let property = atom(display, "_NET_WM_STATE", 0)
        var states = [atom(display, "_NET_WM_STATE_HIDDEN", 0)]
        // The type ATOM is 4; 0 replaces what was there.
        let change = try symbol("XChangeProperty", Change.self)
        _ = change(display, id, property, 4, 32, 0, &states, isMinimised ? 1 : 0)
        gdk_display_flush(gdk_surface_get_display(surface))
    }
}
