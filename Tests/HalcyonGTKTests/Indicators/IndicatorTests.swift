import CGTK
import HTTPTypes
import Halcyon
import HalcyonTesting
import XCTest

@testable import HalcyonGTK

/// What is drawn over a place while its image is loaded.
@MainActor
final class IndicatorTests: XCTestCase {
    private let loads = ViewPipeline()

    override func tearDown() async throws {
        await MainActor.run { Motion.set(true) }
    }

    /// Begins a load that is not answered, and waits until it is under way.
    private func begin(
        _ place: TestPlace,
        _ indicator: LoadIndicator,
        _ done: Completions = Completions(),
        keepsCurrent: Bool = false
    ) async -> ScriptedTransfer {
        place.display.setImage(
            with: loads.url(),
            options: keepsCurrent
                ? [.indicator(indicator), .keepCurrentImageWhileLoading, .visibility(.onceMapped)]
                : [.indicator(indicator), .visibility(.onceMapped)],
            pipeline: loads.pipeline,
            completion: done.handler
        )
        return await loads.transport.nextTransfer()
    }

    /// The number of pixels of the widget's text colour, which is black in the default style.
    private func darkCount(_ place: TestPlace, name: String? = nil) async throws -> Int {
        await place.waitForFrame()
        return try await place.rendered(name: name).count { _ in true }
    }

    func testSpinnerIsDrawnWhileTheImageIsLoadedAndGoneBeforeTheCompletion() async throws {
        let place = try await TestPlace()
        defer { place.destroy() }
        let done = Completions()
        var wasShown: Bool?
        done.onCall = { wasShown = place.controller?.paintable?.indicator != nil }
        let transfer = await begin(place, .spinner, done)
        let count = try await darkCount(place, name: "spinner")
        XCTAssertGreaterThan(count, 100)
        try transfer.answer(.blue)
        await done.wait()
        XCTAssertEqual(wasShown, false)
    }

    func testNothingIsDrawnWithoutAnIndicatorOrAfterAFailure() async throws {
        let place = try await TestPlace()
        defer { place.destroy() }
        let done = Completions()
        _ = await begin(place, .none)
        let none = try await darkCount(place)
        XCTAssertEqual(none, 0)
        let transfer = await begin(place, .spinner, done)
        transfer.fail(.cancelled)
        await done.wait()
        let failed = try await darkCount(place)
        XCTAssertEqual(failed, 0)
    }

    func testRingFillsWithTheProgressAndStandsStillBetween() async throws {
        let place = try await TestPlace()
        defer { place.destroy() }
        let transfer = await begin(place, .progressRing)
        let png = try TestColor.blue.png()
        transfer.respond(status: 200, headers: [.contentType: "image/png", .contentLength: "\(png.count)"])
        var counts: [Int] = []
        let parts = [
            (png.prefix(png.count / 4), "ring-25"), (png.dropFirst(png.count / 4).dropLast(8), "ring-90"),
        ]
        for (part, name) in parts {
            let before = place.controller?.paintable?.indicator?.progress.receivedBytes ?? 0
            transfer.send(Data(part))
            await MainLoop.run { (place.controller?.paintable?.indicator?.progress.receivedBytes ?? 0) > before }
            counts.append(try await darkCount(place, name: name))
            await MainLoop.settle()
            XCTAssertEqual(place.controller?.ticker?.isActive ?? false, false)
        }
        XCTAssertGreaterThan(counts[0], 20)
        XCTAssertGreaterThan(counts[1], counts[0] + 50)
    }

    func testIndicatorHasTheColourOfTheText() async throws {
        let place = try await TestPlace()
        defer { place.destroy() }
        let provider = gtk_css_provider_new()
        gtk_css_provider_load_from_data(provider, "picture { color: rgb(255, 0, 255); }", -1)
        gtk_style_context_add_provider_for_display(
            gdk_display_get_default(),
            OpaquePointer(provider),
            guint(GTK_STYLE_PROVIDER_PRIORITY_USER)
        )
        defer { gtk_style_context_remove_provider_for_display(gdk_display_get_default(), OpaquePointer(provider)) }
        await place.waitForFrame()
        _ = await begin(place, .spinner)
        await place.waitForFrame()
        let rendered = try await place.rendered(name: "spinner-magenta")
        XCTAssertGreaterThan(rendered.count { $0 == .magenta }, 50)
    }

    func testNothingIsDrawnAnewWhereAnimationsAreOff() async throws {
        Motion.set(false)
        let place = try await TestPlace()
        defer { place.destroy() }
        _ = await begin(place, .spinner)
        let count = try await darkCount(place)
        XCTAssertGreaterThan(count, 100)
        XCTAssertNotEqual(place.controller?.ticker?.isActive, true)
        Motion.set(true)
        XCTAssertEqual(place.controller?.ticker?.isActive, true)
        Motion.set(false)
        await MainLoop.run { place.controller?.ticker?.isActive == false }
    }

    func testHiddenWidgetDrawsNothingAnew() async throws {
        let place = try await TestPlace()
        defer { place.destroy() }
        _ = await begin(place, .spinner)
        await place.waitForFrame()
        XCTAssertEqual(place.controller?.ticker?.isActive, true)
        place.setVisible(false)
        XCTAssertEqual(place.controller?.ticker?.isActive, false)
        XCTAssertNotNil(place.controller?.paintable?.indicator)
        place.setVisible(true)
        await MainLoop.run { place.controller?.ticker?.isActive == true }
    }

    func testImageIsDrawnInTheMiddleAndPlays() async throws {
        let place = try await TestPlace()
        defer { place.destroy() }
        let painted = try PaintedFrames(place.widget)
        defer { painted.stop() }
        let data = try TestColor.animation(milliseconds: 40, width: 20, height: 20)
        let transfer = await begin(place, .image(try ImageCodecs.standard.animatedImage(from: data)))
        await MainLoop.run { [.red, .green, .blue].allSatisfy(painted.colors.contains) }
        await place.waitForFrame()
        let rendered = try await place.rendered(name: "indicator-image")
        XCTAssertEqual(rendered.count { _ in true }, 400)
        try transfer.answer(.yellow)
        await MainLoop.run { place.display.content == .image }
        XCTAssertNil(place.controller?.indicatorPlayer)
    }

    func testIndicatorOfTheProgramGetsTimeAndProgress() async throws {
        let place = try await TestPlace()
        defer { place.destroy() }
        let times = LoggedTimes()
        let indicator = LoadIndicator.custom { frame in
            times.values.append(frame.time)
            var bounds = graphene_rect_t()
            graphene_rect_init(&bounds, 0, 0, Float(frame.width), Float(frame.height))
            var color = GdkRGBA(red: 0, green: 1, blue: 0, alpha: 1)
            gtk_snapshot_append_color(OpaquePointer(frame.snapshot), &color, &bounds)
        }
        _ = await begin(place, indicator)
        await MainLoop.run { times.values.count > 5 }
        XCTAssertEqual(times.values, times.values.sorted())
        XCTAssertGreaterThan(times.values[times.values.count - 1], .zero)
        await place.waitForFrame()
        let color = try await place.rendered()[50, 50]
        XCTAssertEqual(color, .green)
    }

    func testIndicatorIsDrawnAboveAnImageThatIsKept() async throws {
        let place = try await TestPlace()
        defer { place.destroy() }
        place.display.show(try TestColor.blue.image())
        _ = await begin(place, .spinner, keepsCurrent: true)
        await place.waitForFrame()
        let rendered = try await place.rendered(name: "spinner-above")
        XCTAssertEqual(rendered[5, 5], .blue)
        XCTAssertGreaterThan(rendered.count { $0 != .blue }, 100)
    }
}

@MainActor
private final class LoggedTimes {
    var values: [Duration] = []
}
