import CGTK
import Foundation
import Halcyon
import HalcyonTesting
import XCTest

@testable import HalcyonGTK

/// A call for what the last one asked for begins nothing anew, as a declarative toolkit makes it at each change of state.
@MainActor
final class EqualCallTests: XCTestCase {
    private let loads = ViewPipeline()

    private func options() throws -> [ImageOption] {
        [
            .transition(.custom(.milliseconds(10)) { $0.drawNext() }), .indicator(.custom { _ in }),
            .failureImage(try TestColor.magenta.image()), .processor(.rotate(quarterTurns: 2)),
        ]
    }

    func testCallForWhatIsShownCompletesAtOnce() async throws {
        let picture = try await TestPicture()
        defer { picture.destroy() }
        let url = try loads.url(.blue)
        let (first, second) = (Completions(), Completions())
        let task = picture.display.setImage(
            with: url,
            options: try options(),
            pipeline: loads.pipeline,
            completion: first.handler
        )
        await first.wait()
        var changes = 0
        let controller = try XCTUnwrap(WidgetState.existing(picture.display.object)?.existingController(for: .image))
        controller.onContentChange = { changes += 1 }
        let again = picture.display.setImage(
            with: url,
            placeholder: try TestColor.red.image(),
            options: try options(),
            pipeline: loads.pipeline,
            completion: second.handler
        )
        XCTAssertEqual(second.outcome, "success")
        XCTAssertIdentical(again, task)
        XCTAssertEqual(changes, 0)
        XCTAssertEqual(loads.transport.startedCount, 1)
    }

    func testAnimationGoesOnThroughAnEqualCall() async throws {
        let picture = try await TestPicture()
        defer { picture.destroy() }
        let url = loads.url()
        loads.transport.setRoute(url, ScriptedTransport.Route(body: try TestColor.animation(milliseconds: 20)))
        let done = Completions()
        picture.display.setImage(with: url, pipeline: loads.pipeline, completion: done.handler)
        await done.wait()
        let player = try XCTUnwrap(picture.display.player)
        picture.display.setImage(with: url, pipeline: loads.pipeline)
        XCTAssertIdentical(picture.display.player, player)
    }

    func testCallCompletesWhereHidingHasEndedTheTransition() async throws {
        let picture = try await TestPicture()
        defer { picture.destroy() }
        let url = try loads.url(.blue)
        let (first, second) = (Completions(), Completions())
        let request = ImageRequest(url, options: [.transition(.fade(1000))])
        let task = picture.display.setImage(with: request, pipeline: loads.pipeline, completion: first.handler)
        await MainLoop.run { task?.state == .setting }
        picture.setVisible(false)
        picture.display.setImage(with: request, pipeline: loads.pipeline, completion: second.handler)
        XCTAssertEqual(first.outcome, "success")
        await second.wait()
        XCTAssertEqual(second.outcome, "success")
        XCTAssertEqual(first.count, 1)
    }

    func testHandlersOfAnEqualCallTakeThePlaceOfTheEarlierOnes() async throws {
        let picture = try await TestPicture()
        defer { picture.destroy() }
        let url = loads.url()
        let calls = [Completions(), Completions(), Completions()]
        var reports = [0, 0, 0]
        var tasks: [DisplayTask?] = []
        for (index, call) in calls.enumerated() {
            tasks.append(
                picture.display.setImage(
                    with: url,
                    options: try options(),
                    pipeline: loads.pipeline,
                    progress: { _ in reports[index] += 1 },
                    completion: call.handler
                )
            )
            await MainLoop.turn()
        }
        XCTAssertEqual(calls.map(\.count), [1, 1, 0])
        // The handle of an earlier call has no power over the load.
        tasks[0]?.cancel()
        let transfer = await loads.transport.nextTransfer()
        try transfer.answer(.blue)
        await calls[2].wait()
        XCTAssertEqual(calls.map(\.outcome), ["superseded", "superseded", "success"])
        XCTAssertEqual(loads.transport.startedCount, 1)
        XCTAssertFalse(transfer.isCancelled)
        XCTAssertEqual(reports[0] + reports[1], 0)
        XCTAssertIdentical(picture.display.task, tasks[2])
    }

    func testEqualCallBeforeTheWidgetIsShownTakesThePlaceOfTheFirst() async throws {
        let picture = try await TestPicture()
        defer { picture.destroy() }
        picture.setVisible(false)
        await MainLoop.run { gtk_widget_get_mapped(picture.widget) == 0 }
        let url = try loads.url(.blue)
        let (first, second) = (Completions(), Completions())
        picture.display.setImage(with: url, pipeline: loads.pipeline, completion: first.handler)
        picture.display.setImage(with: url, pipeline: loads.pipeline, completion: second.handler)
        XCTAssertEqual(first.outcome, "superseded")
        picture.setVisible(true)
        await second.wait()
        XCTAssertEqual([first.count, second.count], [1, 1])
        XCTAssertEqual(second.outcome, "success")
    }

    func testEqualCallDuringTheTransitionCompletesBoth() async throws {
        let picture = try await TestPicture()
        defer { picture.destroy() }
        let url = try loads.url(.blue)
        let (first, second) = (Completions(), Completions())
        let options: [ImageOption] = [.transition(.fade(.seconds(600)))]
        let task = picture.display.setImage(
            with: url,
            options: options,
            pipeline: loads.pipeline,
            completion: first.handler
        )
        await MainLoop.run { task?.state == .setting }
        picture.display.setImage(with: url, options: options, pipeline: loads.pipeline, completion: second.handler)
        XCTAssertEqual(first.outcome, "success")
        XCTAssertEqual(second.count, 0)
        picture.display.show(nil)
        XCTAssertEqual(second.outcome, "success")
    }

    func testFailedCallIsAnsweredWithItsErrorUntilItIsTriedAgain() async throws {
        let picture = try await TestPicture()
        defer { picture.destroy() }
        let url = loads.missing()
        let first = Completions()
        picture.display.setImage(with: url, pipeline: loads.pipeline, completion: first.handler)
        await first.wait()
        for _ in 0..<7 {
            let again = Completions()
            picture.display.setImage(with: url, pipeline: loads.pipeline, completion: again.handler)
            XCTAssertEqual(again.outcome, "failure")
        }
        XCTAssertEqual(loads.transport.startedCount, 1)
        let retried = Completions()
        picture.display.retry(completion: retried.handler)
        await retried.wait()
        XCTAssertEqual(loads.transport.startedCount, 2)
    }

    func testFailedCallBeginsAnewWhenTheNetworkIsBack() async throws {
        let picture = try await TestPicture()
        defer { picture.destroy() }
        let url = loads.url()
        loads.transport.setRoute(url, ScriptedTransport.Route(error: .cannotConnect("refused")))
        let (first, second) = (Completions(), Completions())
        loads.network.status.isConnected = false
        picture.display.setImage(with: url, pipeline: loads.pipeline, completion: first.handler)
        await first.wait()
        await MainLoop.run { self.loads.network.listenerCount == 1 }
        loads.transport.setRoute(url, ScriptedTransport.Route(body: try TestColor.blue.png()))
        loads.network.status.isConnected = true
        await MainLoop.run { self.loads.network.listenerCount == 0 }
        picture.display.setImage(with: url, pipeline: loads.pipeline, completion: second.handler)
        await second.wait()
        XCTAssertEqual([first.outcome, second.outcome], ["failure", "success"])
    }

    func testFailedCallBeginsAnewWhenTheNetworkIsNoLongerMetered() async throws {
        let picture = try await TestPicture()
        defer { picture.destroy() }
        let url = loads.url()
        loads.transport.setRoute(url, ScriptedTransport.Route(error: .cannotConnect("refused")))
        let (first, second) = (Completions(), Completions())
        loads.network.status.isMetered = true
        picture.display.setImage(with: url, pipeline: loads.pipeline, completion: first.handler)
        await first.wait()
        await MainLoop.run { self.loads.network.listenerCount == 1 }
        await MainLoop.settle()
        loads.transport.setRoute(url, ScriptedTransport.Route(body: try TestColor.blue.png()))
        loads.network.status.isMetered = false
        await MainLoop.run { self.loads.network.listenerCount == 0 }
        picture.display.setImage(with: url, pipeline: loads.pipeline, completion: second.handler)
        await second.wait()
        XCTAssertEqual([first.outcome, second.outcome], ["failure", "success"])
    }

    /// As a transfer that has stalled fails when its time is over.
    func testCallThatFailedAfterTheNetworkCameBackBeginsAnew() async throws {
        let picture = try await TestPicture()
        defer { picture.destroy() }
        let clock = ManualClock()
        try XCTUnwrap(WidgetState.of(picture.display.object).controller(for: .image)).clock = clock
        let url = loads.url()
        let (first, second) = (Completions(), Completions())
        picture.display.setImage(with: url, pipeline: loads.pipeline, completion: first.handler)
        let transfer = try await loads.nextTransfer()
        await MainLoop.run { clock.sleeperCount == 1 }
        clock.advance(by: .seconds(1))
        await MainLoop.run { self.loads.network.listenerCount == 1 }
        await MainLoop.settle()
        loads.network.status.isConnected = false
        loads.network.status.isConnected = true
        await MainLoop.run { self.loads.network.listenerCount == 0 }
        transfer.answer(ScriptedTransport.Route(error: .cannotConnect("stalled")))
        await first.wait()
        loads.transport.setRoute(url, ScriptedTransport.Route(body: try TestColor.blue.png()))
        picture.display.setImage(with: url, pipeline: loads.pipeline, completion: second.handler)
        await second.wait()
        XCTAssertEqual([first.outcome, second.outcome], ["failure", "success"])
    }

    func testFailedCallBeginsAnewWhenThePipelineHasForgottenTheFailure() async throws {
        let clock = ManualClock()
        let loads = ViewPipeline(failureMemory: FailureMemory(expiration: .seconds(60), clock: clock))
        let picture = try await TestPicture()
        defer { picture.destroy() }
        let url = loads.missing()
        let calls = [Completions(), Completions(), Completions()]
        picture.display.setImage(with: url, pipeline: loads.pipeline, completion: calls[0].handler)
        await calls[0].wait()
        clock.advance(by: .seconds(59))
        picture.display.setImage(with: url, pipeline: loads.pipeline, completion: calls[1].handler)
        XCTAssertEqual(calls[1].count, 1)
        clock.advance(by: .seconds(2))
        picture.display.setImage(with: url, pipeline: loads.pipeline, completion: calls[2].handler)
        XCTAssertEqual(calls[2].count, 0)
        await calls[2].wait()
        XCTAssertEqual(loads.transport.startedCount, 2)
    }

    func testCallAfterCancellationBeginsAnew() async throws {
        let picture = try await TestPicture()
        defer { picture.destroy() }
        let url = try loads.url(.blue)
        let done = Completions()
        picture.display.setImage(with: url, pipeline: loads.pipeline)
        picture.display.cancel()
        picture.display.setImage(with: url, pipeline: loads.pipeline, completion: done.handler)
        await done.wait()
        XCTAssertEqual(done.outcome, "success")
    }

    func testCallThatLooksIntoNoCacheLoadsAgain() async throws {
        let picture = try await TestPicture()
        defer { picture.destroy() }
        let url = try loads.url(.blue)
        for count in 1...2 {
            let done = Completions()
            picture.display.setImage(
                with: url,
                options: [.forceRefresh],
                pipeline: loads.pipeline,
                completion: done.handler
            )
            await done.wait()
            XCTAssertEqual(loads.transport.startedCount(url), count)
        }
    }

    func testOtherOptionsSourceOrPipelineBeginAnew() async throws {
        let picture = try await TestPicture()
        defer { picture.destroy() }
        let url = try loads.url(.blue)
        let other = ViewPipeline(over: loads)
        let requests: [(ImageRequest, ViewPipeline)] = [
            (ImageRequest(url), loads), (ImageRequest(url, options: [.processor(.rotate(quarterTurns: 1))]), loads),
            (ImageRequest(url, options: [.clearOnFailure]), loads), (ImageRequest(try loads.url(.red)), loads),
            (ImageRequest(url), other),
        ]
        other.transport.setRoute(url, ScriptedTransport.Route(body: try TestColor.blue.png()))
        var last: DisplayTask?
        for (request, loads) in requests {
            let done = Completions()
            let task = picture.display.setImage(with: request, pipeline: loads.pipeline, completion: done.handler)
            await done.wait()
            XCTAssertNotIdentical(task, last)
            last = task
        }
    }

    func testImageAtAnotherSizeStaysUntilThereIsBetter() async throws {
        let ofTheProgram = ImageOption.targetSize(.pixels(width: 200, height: 200))
        let calls: [[ImageOption]] = [
            [.sizing(.image)], [ofTheProgram], [.sizing(.image), .loadDiskFileSynchronously],
            [.sizing(.image), .transitionOnlyFromNetwork],
        ]
        for options in calls {
            let picture = try await TestPicture()
            let url = try loads.url(.blue, 200, 200)
            let (first, second) = (Completions(), Completions())
            picture.display.setImage(with: url, pipeline: loads.pipeline, completion: first.handler)
            await first.wait()
            var kinds: [DisplayedContent] = []
            let slot = try XCTUnwrap(WidgetState.existing(picture.display.object)?.existingController(for: .image))
            slot.onContentChange = { kinds.append(picture.display.content) }
            picture.display.setImage(
                with: url,
                placeholder: try TestColor.red.image(),
                options: options,
                pipeline: loads.pipeline,
                completion: second.handler
            )
            await second.wait()
            XCTAssertEqual(kinds, [.image], "\(options)")
            XCTAssertEqual(picture.display.image?.size, PixelSize(200, 200), "\(options)")
            picture.destroy()
        }
    }

    /// The calls between it and the one that counts have not shown an image, whether they were superseded, have failed or
    /// were cancelled.
    func testImageStaysThroughCallsThatShowNone() async throws {
        for end in CallEnd.allCases {
            let picture = try await TestPicture()
            let url = try loads.url(.blue, 400, 400)
            let first = Completions()
            picture.display.setImage(
                with: url,
                options: [.targetSize(.pixels(width: 100, height: 100)), .forceRefresh],
                pipeline: loads.pipeline,
                completion: first.handler
            )
            await first.wait()
            var kinds: Set<DisplayedContent> = []
            let slot = try XCTUnwrap(WidgetState.existing(picture.display.object)?.existingController(for: .image))
            slot.onContentChange = { kinds.insert(picture.display.content) }
            loads.transport.setRoute(url, end == .failed ? ScriptedTransport.Route(status: 404) : nil)
            for side in [200, 300] {
                let done = Completions()
                picture.display.setImage(
                    with: url,
                    placeholder: try TestColor.red.image(),
                    options: [.targetSize(.pixels(width: side, height: side)), .forceRefresh],
                    pipeline: loads.pipeline,
                    completion: done.handler
                )
                if end == .cancelled { picture.display.cancel() }
                if end != .superseded { await done.wait() }
                XCTAssertEqual(picture.display.content, .image, "\(end) at \(side)")
            }
            XCTAssertEqual(kinds.subtracting([.image]), [], "\(end)")
            picture.destroy()
        }
    }

    private enum CallEnd: CaseIterable {
        case superseded, failed, cancelled
    }

    func testRequestIsAsGivenAndMayBeSet() async throws {
        let picture = try await TestPicture()
        defer { picture.destroy() }
        let request = ImageRequest(try loads.url(.blue, 400, 400), options: [.clearOnFailure])
        let done = Completions()
        XCTAssertNil(picture.display.request)
        picture.display.setImage(with: request, pipeline: loads.pipeline, completion: done.handler)
        await done.wait()
        XCTAssertEqual(picture.display.request, request)
        let task = picture.display.task
        picture.display.request = request
        XCTAssertIdentical(picture.display.task, task)
        let other = ImageRequest(try loads.url(.red))
        picture.display.request = other
        XCTAssertEqual(picture.display.request, other)
        await MainLoop.run { picture.display.task?.state == .finished }
        XCTAssertEqual(picture.display.content, .image)
        picture.display.request = nil
        XCTAssertNil(picture.display.request)
        XCTAssertEqual(picture.display.content, .nothing)
        // The pipeline is that of the last call that had a source.
        picture.display.request = other
        XCTAssertIdentical(picture.display.task?.pipeline, loads.pipeline)
        await MainLoop.run { picture.display.task?.state == .finished }
        XCTAssertEqual(picture.display.content, .image)
    }

    func testRequestThatIsSetToItselfLeavesTheHandlersOfItsLoad() async throws {
        let picture = try await TestPicture()
        defer { picture.destroy() }
        let done = Completions()
        let task = picture.display.setImage(with: loads.url(), pipeline: loads.pipeline, completion: done.handler)
        let request = picture.display.request
        picture.display.request = request
        XCTAssertEqual(done.count, 0)
        XCTAssertIdentical(picture.display.task, task)
        try await loads.nextTransfer().answer(.blue)
        await done.wait()
        XCTAssertEqual(done.outcome, "success")
    }
}
