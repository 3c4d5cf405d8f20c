import CGTK
import Halcyon
import HalcyonTesting
import XCTest

@testable import HalcyonGTK

/// When indicators are drawn.
@MainActor
final class IndicatorContractTests: XCTestCase {
    func testIndicatorIsDrawnWhileLoadingAndGoneAtCompletion() async throws {
        let indicators: [LoadIndicator] = [
            .spinner, .progressRing, .image(try TestColor.yellow.image(10, 10)), .custom { _ in },
        ]
        for indicator in indicators {
            for route in [ScriptedTransport.Route(body: try TestColor.blue.png()), .init(status: 404)] {
                let picture = try await TestPicture()
                defer { picture.destroy() }
                let loads = ViewPipeline()
                let done = Completions()
                picture.display.setImage(
                    with: loads.url(),
                    placeholder: try TestColor.red.image(),
                    options: [.indicator(indicator)],
                    pipeline: loads.pipeline,
                    completion: done.handler
                )
                let transfer = await loads.transport.nextTransfer()
                let paintable = SlotPaintable.shown(in: picture.display)
                XCTAssertEqual(paintable?.indicator?.indicator, indicator)
                let during = await picture.frames.next()
                if indicator == .spinner || indicator == .progressRing {
                    XCTAssertGreaterThan(during?.colors.count ?? 0, 1)
                }
                done.onCall = { XCTAssertNil(SlotPaintable.shown(in: picture.display)?.indicator) }
                transfer.answer(route)
                await done.wait()
                let after = await picture.frames.next()
                XCTAssertEqual(after?.colors, [route.status == 200 ? .blue : .red])
            }
        }
    }

    func testCustomIndicatorDrawsTimeAndProgress() async throws {
        let picture = try await TestPicture()
        defer { picture.destroy() }
        let loads = ViewPipeline()
        let seen = SeenFrames()
        let indicator = LoadIndicator.custom { frame in
            seen.frames.append((frame.time, frame.progress))
            var color = GdkRGBA(red: 1, green: 0, blue: 1, alpha: 1)
            var bounds = graphene_rect_t()
            graphene_rect_init(&bounds, 0, 0, Float(frame.width), Float(frame.height))
            gtk_snapshot_append_color(OpaquePointer(frame.snapshot), &color, &bounds)
        }
        let done = Completions()
        picture.display.setImage(
            with: loads.url(),
            options: [.indicator(indicator)],
            pipeline: loads.pipeline,
            completion: done.handler
        )
        let transfer = await loads.transport.nextTransfer()
        let body = try TestColor.blue.png()
        transfer.respond(headers: [.contentLength: "\(body.count)"])
        transfer.send(body.prefix(20))
        await MainLoop.run { seen.frames.contains { $0.progress.receivedBytes == 20 } }
        XCTAssertEqual(seen.frames.last?.progress.expectedBytes, body.count)
        XCTAssertEqual(picture.display.task?.progress.receivedBytes, 20)
        await MainLoop.run { (seen.frames.last?.time ?? .zero) > .zero }
        let color = await picture.color()
        XCTAssertEqual(color, .magenta)
        transfer.send(body.dropFirst(20))
        transfer.finish()
        await done.wait()
        let count = seen.frames.count
        let end = await picture.color()
        XCTAssertEqual(end, .blue)
        XCTAssertEqual(seen.frames.count, count)
    }

    func testThereIsNoIndicatorUnlessOneIsNamed() async throws {
        let picture = try await TestPicture()
        defer { picture.destroy() }
        let loads = ViewPipeline()
        picture.display.setImage(with: loads.url(), pipeline: loads.pipeline)
        XCTAssertNil(SlotPaintable.shown(in: picture.display)?.indicator)
    }

    func testIndicatorOfSlotIsThatOfCallsThatNameNone() async throws {
        let picture = try await TestPicture()
        defer { picture.destroy() }
        let loads = ViewPipeline()
        picture.display.indicator = .spinner
        XCTAssertEqual(picture.display.indicator, .spinner)
        XCTAssertEqual(picture.display[.property("paintable")].indicator, .none)
        let cases: [([ImageOption], LoadIndicator?)] = [
            ([], .spinner), ([.indicator(.progressRing)], .progressRing), ([.indicator(.none)], nil),
        ]
        for (options, indicator) in cases {
            picture.display.setImage(with: loads.url(), options: options, pipeline: loads.pipeline)
            XCTAssertEqual(SlotPaintable.shown(in: picture.display)?.indicator?.indicator, indicator)
        }
    }

    func testButtonHasPlaceholderIndicatorAndTransition() async throws {
        try TestWindow.requireDisplay()
        let button = try XCTUnwrap(gtk_button_new())
        let window = try TestWindow(width: 100, height: 100, child: button)
        defer { window.destroy() }
        await window.present()
        let loads = ViewPipeline()
        let done = Completions()
        let display = ImageDisplay(button)
        let task = display.setImage(
            with: loads.url(),
            placeholder: try TestColor.red.image(),
            options: [.indicator(.spinner), .transition(.fade(.milliseconds(50)))],
            pipeline: loads.pipeline,
            completion: done.handler
        )
        let frames = try PaintedFrames(button)
        defer { frames.stop() }
        await MainLoop.run { task?.state == .loading }
        XCTAssertEqual(display.content, .placeholder)
        XCTAssertNotNil(SlotPaintable.shown(in: display)?.indicator)
        let placeholder = await frames.next()
        XCTAssertEqual(placeholder?.colors.contains(.red), true)
        try await loads.transport.nextTransfer().answer(.blue)
        await MainLoop.run { task?.state == .setting }
        XCTAssertEqual(done.count, 0)
        await done.wait()
        let image = await frames.next()
        XCTAssertEqual(image?.middle, .blue)
    }
}

@MainActor
private final class SeenFrames {
    var frames: [(time: Duration, progress: ImageProgress)] = []
}

extension SlotPaintable {
    fileprivate static func shown(in display: ImageDisplay) -> SlotPaintable? {
        WidgetState.existing(display.object)?.existingController(for: display.slot)?.paintable
    }
}
