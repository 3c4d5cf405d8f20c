import CGTK
import Foundation
import Halcyon
import HalcyonTesting
import XCTest

@testable import HalcyonGTK

/// Loads that have failed begin again on request, and never by themselves.
@MainActor
final class DisplayRetryTests: XCTestCase {
    func testFailedLoadDoesNotBeginAgainWhenWidgetIsShownAgain() async throws {
        for visibility in LoadVisibility.allCases {
            let picture = try await TestPicture()
            defer { picture.destroy() }
            let loads = ViewPipeline()
            let url = loads.missing()
            let done = Completions()
            picture.display.setImage(
                with: url,
                options: [.visibility(visibility)],
                pipeline: loads.pipeline,
                completion: done.handler
            )
            await done.wait()
            for _ in 0..<3 {
                picture.setVisible(false)
                await MainLoop.run { gtk_widget_get_mapped(picture.widget) == 0 }
                picture.setVisible(true)
                await MainLoop.run { gtk_widget_get_mapped(picture.widget) != 0 }
                _ = await picture.color()
            }
            XCTAssertEqual(loads.transport.startedCount, 1, "\(visibility)")
            XCTAssertEqual(done.count, 1, "\(visibility)")
        }
    }

    func testRetryShowsPlaceholderAgainAndThenImage() async throws {
        let picture = try await TestPicture()
        defer { picture.destroy() }
        let loads = ViewPipeline()
        let (first, second) = (Completions(), Completions())
        var reports = 0
        picture.display.setImage(
            with: loads.url(),
            placeholder: try TestColor.red.image(),
            options: [.failureImage(try TestColor.magenta.image())],
            pipeline: loads.pipeline,
            progress: { _ in reports += 1 },
            completion: first.handler
        )
        await loads.transport.nextTransfer().answer(ScriptedTransport.Route(status: 404))
        await first.wait()
        let failed = await picture.color()
        XCTAssertEqual(failed, .magenta)
        reports = 0
        let task = picture.display.retry(completion: second.handler)
        XCTAssertNotNil(task)
        XCTAssertEqual(picture.display.content, .placeholder)
        // While it is loaded there is nothing to begin anew.
        XCTAssertNil(picture.display.retry())
        let waiting = await picture.color()
        XCTAssertEqual(waiting, .red)
        try await loads.transport.nextTransfer().answer(.blue)
        await second.wait()
        XCTAssertEqual([first.outcome, second.outcome], ["failure", "success"])
        XCTAssertGreaterThan(reports, 0)
        let color = await picture.color()
        XCTAssertEqual(color, .blue)
        XCTAssertNil(picture.display.retry())
        XCTAssertEqual(loads.transport.startedCount, 2)
    }

    func testCancelledLoadBeginsAgainOnRequest() async throws {
        let picture = try await TestPicture()
        defer { picture.destroy() }
        let loads = ViewPipeline()
        let done = Completions()
        picture.display.setImage(with: try loads.url(.blue), pipeline: loads.pipeline)
        picture.display.cancel()
        picture.display.retry(completion: done.handler)
        await done.wait()
        XCTAssertEqual(done.outcome, "success")
    }

    func testImageWhoseSettingWasCancelledIsSetByTheNextCall() async throws {
        let picture = try await TestPicture()
        defer { picture.destroy() }
        let loads = ViewPipeline()
        let held = Gate()
        let settings = Log()
        let options: [ImageOption] = [
            .setting(
                .custom { _ in
                    settings.made += 1
                    await held.wait()
                }
            )
        ]
        let (first, second, third) = (Completions(), Completions(), Completions())
        let url = try loads.url(.blue)
        let task = picture.display.setImage(
            with: url,
            options: options,
            pipeline: loads.pipeline,
            completion: first.handler
        )
        await MainLoop.run { settings.made == 1 }
        task?.cancel()
        XCTAssertEqual(first.outcome, "cancelled")
        picture.display.retry(completion: second.handler)
        await MainLoop.run { settings.made == 2 }
        picture.display.cancel()
        XCTAssertEqual(second.outcome, "cancelled")
        picture.display.setImage(with: url, options: options, pipeline: loads.pipeline, completion: third.handler)
        held.open()
        await third.wait()
        XCTAssertEqual(third.outcome, "success")
        XCTAssertEqual(settings.made, 3)
    }

    func testLoadThatWasReplacedDoesNotBeginAgain() async throws {
        let picture = try await TestPicture()
        defer { picture.destroy() }
        let loads = ViewPipeline()
        let done = Completions()
        let task = picture.display.setImage(with: loads.missing(), pipeline: loads.pipeline, completion: done.handler)
        await done.wait()
        picture.display.show(try TestColor.red.image())
        XCTAssertNil(task?.retry { _ in XCTFail("nothing was begun") })
        XCTAssertEqual(picture.display.content, .image)
    }

    func testHandleStaysTheSameWhenLoadBeginsAnewWithWidgetShownAgain() async throws {
        let picture = try await TestPicture()
        defer { picture.destroy() }
        let loads = ViewPipeline()
        let done = Completions()
        let task = try XCTUnwrap(
            picture.display.setImage(with: loads.url(), pipeline: loads.pipeline, completion: done.handler)
        )
        let first = await loads.transport.nextTransfer()
        picture.setVisible(false)
        await first.waitUntilCancelled()
        XCTAssertEqual(done.count, 0)
        XCTAssertEqual(task.state, .waiting)
        picture.setVisible(true)
        await MainLoop.run { loads.transport.startedCount == 2 }
        let second = await loads.transport.nextTransfer()
        XCTAssertIdentical(picture.display.task, task)
        task.cancel()
        await second.waitUntilCancelled()
        XCTAssertEqual(done.outcome, "cancelled")
    }

    func testAwaitedCallBeginsAnewAfterAFailure() async throws {
        let picture = try await TestPicture()
        defer { picture.destroy() }
        let loads = ViewPipeline()
        let url = loads.missing()
        let request = ImageRequest(url)
        for count in 1...3 {
            let result = Task { try await picture.display.showImage(with: request, pipeline: loads.pipeline) }
            await MainLoop.run { loads.transport.startedCount == count && picture.display.task?.state == .finished }
            if case .success = await result.result { XCTFail("the image is missing") }
        }
        loads.transport.setRoute(url, ScriptedTransport.Route(body: try TestColor.blue.png()))
        let result = Task { try await picture.display.showImage(with: request, pipeline: loads.pipeline) }
        await MainLoop.run { picture.display.content == .image }
        _ = try await result.value
    }

    /// A handler that makes the same call again and again leaves the main loop to others.
    func testHandlerWhoseCallsFailIsCalledEverLater() async throws {
        let clock = ManualClock()
        let original = CallChain.clock
        CallChain.clock = clock
        defer { CallChain.clock = original }
        let loads = ViewPipeline()
        let missing = loads.missing()
        let calls: [@MainActor (ImageDisplay, @escaping ImageDisplay.Completion) -> Void] = [
            { $0.setImage(with: missing, pipeline: loads.pipeline, completion: $1) },
            {
                if $0.retry(completion: $1) == nil {
                    $0.setImage(with: missing, pipeline: loads.pipeline, completion: $1)
                }
            },
            { $0.setImage(with: .file("/no/such/file.png"), pipeline: loads.pipeline, completion: $1) },
            { $0.setImage(with: nil, completion: $1) },
            { $0[.property("no-such")].setImage(with: missing, pipeline: loads.pipeline, completion: $1) },
        ]
        for (number, call) in calls.enumerated() {
            let picture = try await TestPicture()
            defer { picture.destroy() }
            var (depth, greatestDepth, count, isOver) = (0, 0, 0, false)
            func load() {
                depth += 1
                greatestDepth = max(greatestDepth, depth)
                call(picture.display) { _ in
                    count += 1
                    if !isOver { load() }
                }
                depth -= 1
            }
            load()
            await MainLoop.run { clock.sleeperCount == 1 }
            XCTAssertEqual(count, 3, "\(number)")
            for (next, milliseconds) in [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_000, 1_000].enumerated() {
                await MainLoop.settle()
                XCTAssertEqual(count, 3 + next, "\(number)")
                await MainLoop.run { clock.sleeperCount == 1 }
                isOver = next == 11
                clock.advance(by: .milliseconds(milliseconds))
                await MainLoop.run { count == 4 + next }
            }
            XCTAssertLessThan(greatestDepth, 5, "\(number)")
        }
    }

    /// Two handlers, each of which makes its call again when that of the other has taken its place.
    func testHandlersWhoseCallsSupersedeEachOtherDoNotRecurse() async throws {
        let original = CallChain.clock
        defer { CallChain.clock = original }
        for isEqual in [false, true] {
            let clock = ManualClock()
            CallChain.clock = clock
            let picture = try await TestPicture()
            defer { picture.destroy() }
            let loads = ViewPipeline()
            let first = loads.url()
            let urls = [first, isEqual ? first : loads.url()]
            var (depth, greatestDepth, count) = (0, 0, 0)
            func load(_ url: URL) {
                depth += 1
                greatestDepth = max(greatestDepth, depth)
                picture.display.setImage(with: url, pipeline: loads.pipeline) { result in
                    count += 1
                    if case .failure = result, count < 1_000 { load(url) }
                }
                depth -= 1
            }
            for url in urls { load(url) }
            await MainLoop.settle()
            XCTAssertLessThan(greatestDepth, 10)
            XCTAssertLessThan(count, 10)
            count = 1_000
            for transfer in loads.transport.transfers { try transfer.answer(.blue) }
            clock.advance(by: .seconds(1))
            await MainLoop.run { picture.display.content == .image }
        }
    }

    /// One source after the other, each of which fails, is tried without a pause, and so is what follows an image.
    func testHandlerThatTriesOtherSourcesIsCalledAtOnce() async throws {
        let original = CallChain.clock
        CallChain.clock = ManualClock()
        defer { CallChain.clock = original }
        let picture = try await TestPicture()
        defer { picture.destroy() }
        let loads = ViewPipeline()
        var urls = [loads.missing(), loads.missing()] + (try (0..<20).map { _ in try loads.url(.blue) })
        func load() {
            let url = urls.removeFirst()
            picture.display.setImage(with: url, pipeline: loads.pipeline) { _ in if !urls.isEmpty { load() } }
        }
        load()
        await MainLoop.run { urls.isEmpty && picture.display.content == .image }
    }
}
