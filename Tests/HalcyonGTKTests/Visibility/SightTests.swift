import CGTK
import Foundation
import Halcyon
import HalcyonTesting
import XCTest

@testable import HalcyonGTK

/// Widgets that are mapped, and scrolled out of sight.
@MainActor
final class SightTests: XCTestCase {
    private let loads = ViewPipeline()

    func testLoadFollowsSight() async throws {
        let place = try await ScrolledPlace()
        defer { place.destroy() }
        let done = Completions()
        let task = place.display.setImage(with: loads.url(), pipeline: loads.pipeline, completion: done.handler)
        await place.scroll(to: 100)
        await MainLoop.settle()
        XCTAssertEqual(gtk_widget_get_mapped(place.widgets[0]), 1)
        XCTAssertEqual(loads.transport.startedCount, 0)
        await place.scroll(to: 950)
        await MainLoop.run { self.loads.transport.startedCount == 1 }
        let first = loads.transport.transfers[0]
        await place.scroll(to: 0)
        await MainLoop.run { first.isCancelled }
        XCTAssertEqual(task?.state, .waiting)
        await place.scroll(to: 1050)
        await MainLoop.run { self.loads.transport.startedCount == 2 }
        try loads.transport.transfers[1].answer(.blue)
        await done.wait()
        XCTAssertEqual(done.outcome, "success")
    }

    func testAnimationStandsStillOutOfSight() async throws {
        let place = try await ScrolledPlace()
        defer { place.destroy() }
        place.display.show(try ImageCodecs.standard.animatedImage(from: TestColor.animation(milliseconds: 20)))
        let player = try XCTUnwrap(place.display.player)
        await place.scroll(to: 10)
        await MainLoop.settle()
        XCTAssertEqual(player.state, .playing)
        XCTAssertEqual([player.loopCount, player.frame.index], [0, 0])
        await place.scroll(to: 950)
        await MainLoop.run { player.loopCount > 0 }
        await place.scroll(to: 0)
        let (loops, frame) = (player.loopCount, player.frame.index)
        for _ in 0..<5 { await MainLoop.settle() }
        XCTAssertEqual([player.loopCount, player.frame.index], [loops, frame])
        await place.scroll(to: 950)
        await MainLoop.run { player.loopCount > loops }
    }

    func testNothingTicksForAnimationsAndASpinnerOutOfSight() async throws {
        let place = try await ScrolledPlace(count: 61)
        defer { place.destroy() }
        let image = try ImageCodecs.standard.animatedImage(from: TestColor.animation(milliseconds: 20))
        for widget in place.widgets.dropLast() { ImageDisplay(widget).show(image) }
        let spinner = ImageDisplay(place.widgets[60])
        spinner.setImage(
            with: loads.url(),
            options: [.indicator(.spinner), .visibility(.always)],
            pipeline: loads.pipeline,
            completion: nil
        )
        await place.scroll(to: 10)
        XCTAssertEqual(spinner.task?.state, .loading)
        await MainLoop.settle()
        var frames = 0
        let observer = try FrameObserver(place.scrolled, onBegin: { frames += 1 }, onPaint: {})
        defer { observer.stop() }
        for _ in 0..<10 { await MainLoop.settle() }
        XCTAssertEqual(frames, 0)
        XCTAssertEqual(place.widgets.compactMap { ImageDisplay($0).player?.loopCount }.max(), 0)
        await place.scroll(to: 950)
        await MainLoop.run { frames > 20 }
    }

    /// Memory has the image of the file, which is shown before the file is examined.
    func testFileInMemoryOutOfSightLaysNothingOutAtRest() async throws {
        let path = NSTemporaryDirectory() + "halcyon-sight-\(UUID().uuidString).png"
        try TestColor.blue.png().write(to: URL(fileURLWithPath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        let place = try await ScrolledPlace(count: 2)
        defer { place.destroy() }
        let done = Completions()
        ImageDisplay(place.widgets[0]).setImage(
            with: .file(path),
            options: [.visibility(.always)],
            pipeline: loads.pipeline,
            completion: done.handler
        )
        await done.wait()
        let display = ImageDisplay(place.widgets[1])
        display.setImage(with: .file(path), pipeline: loads.pipeline)
        await place.scroll(to: 10)
        XCTAssertEqual(display.content, .image)
        XCTAssertEqual(display.task?.state, .waiting)
        await MainLoop.settle()
        var frames = 0
        let observer = try FrameObserver(place.scrolled, onBegin: { frames += 1 }, onPaint: {})
        defer { observer.stop() }
        for _ in 0..<10 { await MainLoop.settle() }
        XCTAssertEqual(frames, 0)
    }

    /// Each costs one look; what they lie in is looked at once.
    func testLayoutLooksOnceAtWhatWidgetsHaveInCommon() async throws {
        var counts: [Int] = []
        for count in [1, 40] {
            let place = try await ScrolledPlace(count: count)
            await place.scroll(to: 800)
            let sight = Sight()
            let seen = place.widgets.filter { sight.includes(UnsafeMutableRawPointer($0)) }
            XCTAssertEqual(seen.count, 1)
            await place.scroll(to: 950)
            XCTAssertEqual(place.widgets.filter { Sight().includes(UnsafeMutableRawPointer($0)) }.count, min(count, 3))
            counts.append(sight.lookCount)
            place.destroy()
        }
        XCTAssertEqual(counts[1] - counts[0], 39)
    }

    /// Of widgets that lie where they lay before, only what they lie in is looked at.
    func testLayoutThatMovesNothingLooksAtNoWidget() async throws {
        var counts: [Int] = []
        for count in [1, 40] {
            let loads = ViewPipeline()
            let place = try await ScrolledPlace(count: count)
            for widget in place.widgets { ImageDisplay(widget).setImage(with: loads.url(), pipeline: loads.pipeline) }
            await place.scroll(to: 10)
            let clock = UnsafeMutableRawPointer(try XCTUnwrap(gtk_widget_get_frame_clock(place.scrolled)))
            let layouts = LayoutObserver.of(clock)
            XCTAssertEqual(layouts.count, count)
            gdk_frame_clock_request_phase(OpaquePointer(clock), GDK_FRAME_CLOCK_PHASE_LAYOUT)
            await place.waitForFrame()
            counts.append(layouts.lookCount)
            XCTAssertEqual(loads.transport.startedCount, 0)
            // One that moves in a box that stays where it is is seen nevertheless.
            let box = try XCTUnwrap(gtk_widget_get_parent(place.widgets[0]))
            let pointer = UnsafeMutableRawPointer(box).assumingMemoryBound(to: GtkBox.self)
            gtk_box_reorder_child_after(pointer, place.widgets[count - 1], nil)
            await MainLoop.run { loads.transport.startedCount == 1 }
            place.destroy()
        }
        XCTAssertEqual(counts[0], counts[1])
    }

    /// A layout tells those that may have come into sight, however many there are: none where something else is laid out, or
    /// where the content moves by less than their distance.
    func testLayoutTellsOnlyWidgetsThatMayBeInSight() async throws {
        for isRemoteImage in [false, true] {
            var counts: [[Int]] = []
            for count in [30, 60, 120] {
                let loads = ViewPipeline()
                let place: ScrolledPlace
                if isRemoteImage {
                    try TestWindow.requireDisplay()
                    let images = (0..<count).map { _ in RemoteImage(loads.url(), pipeline: loads.pipeline) }
                    let widgets = images.map { $0.widget.widget }
                    for widget in widgets { gtk_widget_set_size_request(widget, 100, 100) }
                    place = try await ScrolledPlace(widgets)
                } else {
                    place = try await ScrolledPlace(count: count)
                    for widget in place.widgets {
                        ImageDisplay(widget).setImage(with: loads.url(), pipeline: loads.pipeline)
                    }
                }
                await place.scroll(to: 10)
                let clock = UnsafeMutableRawPointer(try XCTUnwrap(gtk_widget_get_frame_clock(place.scrolled)))
                let layouts = LayoutObserver.of(clock)
                XCTAssertEqual(layouts.count, count)
                var told: [Int] = []
                await place.scroll(to: 30)
                told.append(layouts.toldCount)
                gdk_frame_clock_request_phase(OpaquePointer(clock), GDK_FRAME_CLOCK_PHASE_LAYOUT)
                await place.waitForFrame()
                told.append(layouts.toldCount)
                XCTAssertEqual(loads.transport.startedCount, 0)
                await place.scroll(to: 950)
                told.append(layouts.toldCount)
                await MainLoop.run { loads.transport.startedCount == 3 }
                counts.append(told)
                // Those that have been in sight are told when they no longer are.
                await place.scroll(to: 10)
                await MainLoop.run { loads.transport.transfers.allSatisfy(\.isCancelled) }
                place.destroy()
            }
            XCTAssertEqual(counts, [[0, 0, 3], [0, 0, 3], [0, 0, 3]], "\(isRemoteImage)")
        }
    }

    /// GTK tells nobody of it.
    func testWidgetThatMovesInContentThatStaysIsSeenWhenLayoutsCease() async throws {
        let place = try await ScrolledPlace(count: 2)
        defer { place.destroy() }
        let frames = UnsafeMutableRawPointer(try XCTUnwrap(gtk_widget_get_frame_clock(place.scrolled)))
        let clock = ManualClock()
        LayoutObserver.of(frames).clock = clock
        for widget in place.widgets { ImageDisplay(widget).setImage(with: loads.url(), pipeline: loads.pipeline) }
        await place.scroll(to: 10)
        let box = try XCTUnwrap(gtk_widget_get_parent(place.widgets[0]))
        gtk_box_reorder_child_after(box.cast(to: GtkBox.self), place.widgets[1], nil)
        await place.waitForFrame()
        await MainLoop.run { clock.sleeperCount == 1 }
        XCTAssertEqual(loads.transport.startedCount, 0)
        clock.advance(by: LayoutObserver.delay)
        await MainLoop.run { self.loads.transport.startedCount == 1 }
        await MainLoop.settle()
        XCTAssertEqual(loads.transport.startedCount, 1)
    }

    /// Nothing waits once all have been looked at: a window at rest costs nothing.
    func testWidgetsOutOfSightAreNotLookedAtAgainAtRest() async throws {
        let place = try await ScrolledPlace(count: 2)
        defer { place.destroy() }
        let frames = UnsafeMutableRawPointer(try XCTUnwrap(gtk_widget_get_frame_clock(place.scrolled)))
        let clock = ManualClock()
        LayoutObserver.of(frames).clock = clock
        for widget in place.widgets { ImageDisplay(widget).setImage(with: loads.url(), pipeline: loads.pipeline) }
        await place.scroll(to: 10)
        await MainLoop.run { clock.sleeperCount == 1 }
        clock.advance(by: LayoutObserver.delay)
        await MainLoop.run { clock.sleeperCount == 0 }
        await MainLoop.settle()
        XCTAssertEqual(clock.sleeperCount, 0)
    }

    /// A carousel moves its pages without a change of the content around it.
    func testPagesOfACarouselInScrolledContentFollowSight() async throws {
        let libadwaita = try Libadwaita()
        let pages = try (0..<2).map { _ in
            let page = try XCTUnwrap(gtk_picture_new())
            gtk_widget_set_hexpand(page, 1)
            gtk_widget_set_vexpand(page, 1)
            return page
        }
        let carousel = try libadwaita.carousel(pages)
        let scrolled = try XCTUnwrap(gtk_scrolled_window_new())
        gtk_scrolled_window_set_child(OpaquePointer(scrolled), carousel)
        let window = try TestWindow(width: 300, height: 300, child: scrolled)
        defer { window.destroy() }
        let urls = [loads.url(), loads.url()]
        for (page, url) in zip(pages, urls) { ImageDisplay(page).setImage(with: url, pipeline: loads.pipeline) }
        await window.present()
        let clock = UnsafeMutableRawPointer(try XCTUnwrap(gtk_widget_get_frame_clock(scrolled)))
        LayoutObserver.of(clock).clock = ManualClock()
        await MainLoop.run { self.loads.transport.startedCount(urls[0]) == 1 }
        await MainLoop.settle()
        XCTAssertEqual(loads.transport.startedCount(urls[1]), 0)
        try libadwaita.scroll(carousel, to: pages[1])
        await MainLoop.run { self.loads.transport.startedCount(urls[1]) == 1 }
    }

    func testImagesThatAreShownForGoodFollowNoLayout() async throws {
        let place = try await ScrolledPlace(count: 3)
        defer { place.destroy() }
        await place.scroll(to: 950)
        let url = try loads.url(.blue, 400, 400)
        for widget in place.widgets { ImageDisplay(widget).setImage(with: url, pipeline: loads.pipeline) }
        await MainLoop.run { place.widgets.allSatisfy { ImageDisplay($0).task?.state == .finished } }
        await place.waitForFrame()
        let clock = try XCTUnwrap(gtk_widget_get_frame_clock(place.scrolled))
        XCTAssertEqual(LayoutObserver.of(UnsafeMutableRawPointer(clock)).count, 0)
        // One that grows is looked at when it is drawn.
        gtk_widget_set_size_request(place.widgets[0], 300, 300)
        await MainLoop.run { (place.display.image?.size.width ?? 0) >= 300 }
        await place.waitForFrame()
        await place.waitForFrame()
        XCTAssertEqual(LayoutObserver.of(UnsafeMutableRawPointer(clock)).count, 0)
    }

    /// Whether it is the widget that has grown, or the scale of its screen.
    func testImagesThatAreScrolledAwayAreLoadedLargerOnceTheyAreInSight() async throws {
        let place = try await ScrolledPlace(count: 3)
        defer { place.destroy() }
        await place.scroll(to: 1_000)
        let url = try loads.url(.blue, 800, 800)
        for widget in place.widgets { ImageDisplay(widget).setImage(with: url, pipeline: loads.pipeline) }
        await MainLoop.run { place.widgets.allSatisfy { ImageDisplay($0).task?.state == .finished } }
        await place.scroll(to: 0)
        let clock = ManualClock()
        let slots = try place.widgets.map {
            try XCTUnwrap(WidgetState.existing(UnsafeMutableRawPointer($0))?.existingController(for: .image))
        }
        for slot in slots { slot.clock = clock }
        gtk_widget_set_size_request(place.widgets[0], 150, 150)
        await place.waitForFrame()
        await place.waitForFrame()
        let scale = WidgetVisibility.surfaceScale
        WidgetVisibility.surfaceScale = { _ in 2 }
        defer { WidgetVisibility.surfaceScale = scale }
        for widget in place.widgets { g_object_notify(UnsafeMutableRawPointer(widget).object, "scale-factor") }
        await place.waitForFrame()
        XCTAssertTrue(slots.allSatisfy { $0.growth == nil && $0.enlargementCount == 0 })
        await place.scroll(to: 1_000)
        await MainLoop.run { clock.sleeperCount == 3 }
        clock.advance(by: Growth.rest)
        await MainLoop.run { place.widgets.allSatisfy { (ImageDisplay($0).image?.size.width ?? 0) >= 200 } }
    }

    /// Its picture has no area until there is an image, and lies at the corner that is scrolled away.
    func testRemoteImageOfWhichAPartIsInSightLoads() async throws {
        try TestWindow.requireDisplay()
        let url = try loads.url(.blue)
        let image = RemoteImage(ImageRequest(url), pipeline: loads.pipeline)
        let widget = image.widget.assumingMemoryBound(to: GtkWidget.self)
        gtk_widget_set_size_request(widget, 200, 200)
        let place = try await ScrolledPlace([widget])
        defer { place.destroy() }
        await MainLoop.settle()
        XCTAssertEqual(loads.transport.startedCount, 0)
        await place.scroll(to: 1_100)
        await MainLoop.run { if case .loaded = image.state { true } else { false } }
    }

    func testSpinnerOfARemoteImageStandsStillOutOfSight() async throws {
        try TestWindow.requireDisplay()
        var configuration = RemoteImage.Configuration()
        configuration.placeholder = .spinner
        let url = loads.url()
        let request = ImageRequest(url, options: [.visibility(.always)])
        let image = RemoteImage(request, configuration: configuration, pipeline: loads.pipeline)
        let widget = image.widget.assumingMemoryBound(to: GtkWidget.self)
        gtk_widget_set_size_request(widget, 200, 200)
        let place = try await ScrolledPlace([widget])
        defer { place.destroy() }
        await place.scroll(to: 10)
        await MainLoop.run { self.loads.transport.startedCount(url) == 1 }
        await MainLoop.settle()
        let spinner = try XCTUnwrap(spinner(in: widget))
        XCTAssertEqual(gtk_spinner_get_spinning(spinner), 0)
        var frames = 0
        let observer = try FrameObserver(place.scrolled, onBegin: { frames += 1 }, onPaint: {})
        defer { observer.stop() }
        for _ in 0..<10 { await MainLoop.settle() }
        XCTAssertEqual(frames, 0)
        await place.scroll(to: 1_000)
        await MainLoop.run { gtk_spinner_get_spinning(spinner) != 0 }
        await place.scroll(to: 10)
        await MainLoop.run { gtk_spinner_get_spinning(spinner) == 0 }
        await place.scroll(to: 1_000)
        await MainLoop.run { gtk_spinner_get_spinning(spinner) != 0 }
        try loads.transport.transfers[0].answer(.blue)
        await MainLoop.run { gtk_spinner_get_spinning(spinner) == 0 }
    }

    private func spinner(in widget: UnsafeMutablePointer<GtkWidget>) -> OpaquePointer? {
        var child = gtk_widget_get_first_child(widget)
        while let present = child {
            if UnsafeMutableRawPointer(present).isInstance(of: gtk_spinner_get_type()) { return OpaquePointer(present) }
            child = gtk_widget_get_next_sibling(present)
        }
        return nil
    }

    func testRemoteImageThatIsScrolledIntoSightBeginsAgain() async throws {
        try TestWindow.requireDisplay()
        var configuration = RemoteImage.Configuration()
        configuration.restartsOnAppearance = true
        let url = loads.missing()
        let image = RemoteImage(ImageRequest(url), configuration: configuration, pipeline: loads.pipeline)
        let widget = image.widget.assumingMemoryBound(to: GtkWidget.self)
        gtk_widget_set_size_request(widget, 200, 200)
        let place = try await ScrolledPlace([widget])
        defer { place.destroy() }
        await place.scroll(to: 1_000)
        await MainLoop.run { if case .failed = image.state { true } else { false } }
        await MainLoop.settle()
        XCTAssertEqual(loads.transport.startedCount(url), 1)
        loads.transport.setRoute(url, ScriptedTransport.Route(body: try TestColor.blue.png()))
        await place.scroll(to: 10)
        await MainLoop.settle()
        XCTAssertEqual(loads.transport.startedCount(url), 1)
        await place.scroll(to: 1_000)
        await MainLoop.run { if case .loaded = image.state { true } else { false } }
        XCTAssertEqual(loads.transport.startedCount(url), 2)
    }

    /// Neither its picture nor the widget that clips that has an area before there is an image.
    func testRemoteImageWithoutAnAreaLoads() async throws {
        let image = try await TestRemoteImage(ImageRequest(try loads.url(.blue)), on: loads)
        await image.waitUntilLoaded()
        image.window.destroy()
    }

    /// A carousel lays its pages out side by side, all of them mapped.
    func testPagesBesideThePresentOneOfACarouselOfLibadwaitaNeitherLoadNorAnimate() async throws {
        let libadwaita = try Libadwaita()
        let pages = try (0..<3).map { _ in
            let page = try XCTUnwrap(gtk_picture_new())
            gtk_widget_set_hexpand(page, 1)
            gtk_widget_set_vexpand(page, 1)
            return page
        }
        let carousel = try libadwaita.carousel(pages)
        let window = try TestWindow(width: 300, height: 300, child: carousel)
        defer { window.destroy() }
        let image = try ImageCodecs.standard.animatedImage(from: TestColor.animation(milliseconds: 20))
        let urls = [loads.url(), loads.url()]
        for (page, url) in zip(pages, urls) { ImageDisplay(page).setImage(with: url, pipeline: loads.pipeline) }
        ImageDisplay(pages[2]).show(image)
        let player = try XCTUnwrap(ImageDisplay(pages[2]).player)
        await window.present()
        await MainLoop.run { self.loads.transport.startedCount == 1 }
        await MainLoop.settle()
        XCTAssertEqual(pages.map { gtk_widget_get_mapped($0) }, [1, 1, 1])
        XCTAssertEqual(urls.map { loads.transport.startedCount($0) }, [1, 0])
        XCTAssertEqual(player.loopCount, 0)
        let first = loads.transport.transfers[0]
        try libadwaita.scroll(carousel, to: pages[1])
        await MainLoop.run { self.loads.transport.startedCount(urls[1]) == 1 && first.isCancelled }
        try libadwaita.scroll(carousel, to: pages[2])
        await MainLoop.run { player.loopCount > 0 }
    }

    func testPopoverIsInSight() async throws {
        let place = try await ScrolledPlace()
        defer { place.destroy() }
        let popover = try XCTUnwrap(gtk_popover_new())
        let picture = try XCTUnwrap(gtk_picture_new())
        gtk_widget_set_size_request(picture, 50, 50)
        let pointer = UnsafeMutableRawPointer(popover).assumingMemoryBound(to: GtkPopover.self)
        gtk_popover_set_autohide(pointer, 0)
        gtk_popover_set_child(pointer, picture)
        gtk_widget_set_parent(popover, place.scrolled)
        defer { gtk_widget_unparent(popover) }
        gtk_popover_popup(pointer)
        await MainLoop.run { gtk_widget_get_mapped(picture) != 0 && gtk_widget_get_width(picture) > 0 }
        XCTAssertTrue(Sight().includes(UnsafeMutableRawPointer(picture)))
    }
}

/// Widgets of 100 by 100 points, one below the other, that begin at 1,000 points in a window that shows 300.
@MainActor
final class ScrolledPlace {
    let window: TestWindow
    let widgets: [UnsafeMutablePointer<GtkWidget>]
    let scrolled: UnsafeMutablePointer<GtkWidget>

    /// The first of the widgets.
    var display: ImageDisplay { ImageDisplay(widgets[0]) }

    /// - Parameter count: The number of pictures.
    convenience init(count: Int = 1) async throws {
        try TestWindow.requireDisplay()
        let pictures = try (0..<count).map { _ in
            let picture = try XCTUnwrap(gtk_picture_new())
            gtk_widget_set_size_request(picture, 100, 100)
            return picture
        }
        try await self.init(pictures)
    }

    init(_ widgets: [UnsafeMutablePointer<GtkWidget>]) async throws {
        self.widgets = widgets
        let box = try XCTUnwrap(gtk_box_new(GTK_ORIENTATION_VERTICAL, 0))
        let spacers = try (0..<2).map { _ in
            let spacer = try XCTUnwrap(gtk_box_new(GTK_ORIENTATION_VERTICAL, 0))
            gtk_widget_set_size_request(spacer, 10, 1_000)
            return spacer
        }
        for widget in [spacers[0]] + widgets + [spacers[1]] {
            gtk_widget_set_halign(widget, GTK_ALIGN_START)
            gtk_box_append(UnsafeMutableRawPointer(box).assumingMemoryBound(to: GtkBox.self), widget)
        }
        scrolled = try XCTUnwrap(gtk_scrolled_window_new())
        gtk_scrolled_window_set_child(OpaquePointer(scrolled), box)
        // One that is laid over the child fades out for a while.
        gtk_scrolled_window_set_overlay_scrolling(OpaquePointer(scrolled), 0)
        window = try TestWindow(width: 300, height: 300, child: scrolled)
        await window.present()
        await waitForFrame()
    }

    /// Scrolls, and waits for the frame that shows it.
    func scroll(to value: Double) async {
        gtk_adjustment_set_value(gtk_scrolled_window_get_vadjustment(OpaquePointer(scrolled)), value)
        await waitForFrame()
    }

    /// Waits until the window has painted a frame that begins now.
    func waitForFrame() async {
        let count = PaintCount.of(scrolled)
        gtk_widget_queue_draw(scrolled)
        await MainLoop.run { PaintCount.of(self.scrolled) > count }
    }

    func destroy() { window.destroy() }
}
