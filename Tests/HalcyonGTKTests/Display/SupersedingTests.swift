import CGTK
import Halcyon
import HalcyonTesting
import XCTest

@testable import HalcyonGTK

/// The fate of a call when another one, or the end of its slot, comes before it has ended.
@MainActor
final class SupersedingTests: XCTestCase {
    /// Where a call is when it is superseded.
    private enum Stage: CaseIterable {
        case waiting, loading, transition, setting, finished
    }

    /// What supersedes it.
    private enum Event: CaseIterable {
        case image, memory, nothing, ownImage, removal, cancel, destruction
    }

    func testCallIsCompletedOnceAtEveryStageByEveryEvent() async throws {
        for stage in Stage.allCases {
            for event in Event.allCases { try await assertCompletion(at: stage, by: event) }
        }
    }

    private func assertCompletion(at stage: Stage, by event: Event) async throws {
        let name = "\(stage), \(event)"
        let picture = try await TestPicture()
        defer { picture.destroy() }
        let loads = ViewPipeline()
        let known = try loads.url(.yellow)
        try await loads.preload(known)
        let held = Gate()
        var options: [ImageOption] = []
        if stage == .transition { options = [.transition(.fade(1000))] }
        if stage == .setting { options = [.setting(.custom { _ in await held.wait() })] }
        if stage == .waiting {
            picture.setVisible(false)
            await MainLoop.run { gtk_widget_get_mapped(picture.widget) == 0 }
        }
        let first = Completions()
        let task = picture.display.setImage(
            with: loads.url(),
            options: options,
            pipeline: loads.pipeline,
            completion: first.handler
        )
        if stage != .waiting, stage != .loading {
            try await loads.transport.nextTransfer().answer(.blue)
            await MainLoop.run { task?.state == (stage == .finished ? .finished : .setting) }
        }
        XCTAssertEqual(first.count, stage == .finished ? 1 : 0, name)
        let second = Completions()
        switch event {
        case .image:
            let url = try loads.url(.green)
            picture.display.setImage(with: url, pipeline: loads.pipeline, completion: second.handler)
        case .memory: picture.display.setImage(with: known, pipeline: loads.pipeline, completion: second.handler)
        case .nothing: picture.display.setImage(with: nil)
        case .ownImage: picture.display.show(try TestColor.green.image())
        case .removal: picture.display.remove()
        case .cancel: picture.display.cancel()
        case .destruction: picture.destroy()
        }
        if event == .cancel, stage == .transition {
            // The call has succeeded, which is said after the transition.
            XCTAssertEqual(first.count, 0, name)
            picture.display.show(nil)
        }
        if event == .destruction, stage != .finished {
            XCTAssertEqual(first.count, 0, "\(name): not while it is destroyed")
        }
        await first.wait()
        let expected =
            switch (stage, event) {
            case (.finished, _), (.transition, _): "success"
            case (_, .cancel): "cancelled"
            case (.setting, _): "superseded with its image"
            default: "superseded"
            }
        XCTAssertEqual(first.outcome, expected, name)
        held.open()
        await MainLoop.settle()
        XCTAssertEqual(first.count, 1, name)
        if event == .image || event == .memory, stage != .waiting {
            await second.wait()
            XCTAssertEqual(second.outcome, "success", name)
            XCTAssertEqual(picture.display.content, .image, name)
            let color = await picture.color()
            XCTAssertEqual(color, event == .image ? .green : .yellow, name)
        }
    }

    func testSupersededLoadThatGoesOnReportsItsImageAndSecondIsShown() async throws {
        let picture = try await TestPicture()
        defer { picture.destroy() }
        let loads = ViewPipeline()
        let (first, second) = (Completions(), Completions())
        let url = loads.url()
        picture.display.setImage(
            with: url,
            options: [.superseded(.finish)],
            pipeline: loads.pipeline,
            completion: first.handler
        )
        let transfer = await loads.transport.nextTransfer()
        picture.display.setImage(with: try loads.url(.blue), pipeline: loads.pipeline, completion: second.handler)
        await second.wait()
        XCTAssertEqual([first.count, second.count], [0, 1])
        try transfer.answer(.red)
        await first.wait()
        XCTAssertEqual([first.outcome, second.outcome], ["superseded with its image", "success"])
        await MainLoop.settle()
        XCTAssertEqual([first.count, second.count], [1, 1])
        let color = await picture.color()
        XCTAssertEqual(color, .blue)
        XCTAssertFalse(picture.frames.colors.contains(.red))
        // What went on came into the caches.
        XCTAssertFalse(transfer.isCancelled)
        await loads.pipeline.cache.flush()
        let options = [ImageOption].ofTestPicture + [.onlyFromCache]
        let stored = try await loads.pipeline.response(for: url, options: options)
        XCTAssertEqual(stored.image.size, PixelSize(80, 80))
    }

    func testSupersededLoadThatGoesOnReportsItsError() async throws {
        let picture = try await TestPicture()
        defer { picture.destroy() }
        let loads = ViewPipeline()
        let first = Completions()
        picture.display.setImage(
            with: loads.url(),
            options: [.superseded(.finishAtLowPriority), .failureImage(try TestColor.red.image())],
            pipeline: loads.pipeline,
            completion: first.handler
        )
        let transfer = await loads.transport.nextTransfer()
        picture.display.show(try TestColor.blue.image())
        await MainLoop.run { transfer.priority == .low }
        transfer.answer(ScriptedTransport.Route(status: 404))
        await first.wait()
        XCTAssertEqual(first.outcome, "superseded with its error")
        let color = await picture.color()
        XCTAssertEqual(color, .blue)
    }

    func testSupersededLoadIsCancelled() async throws {
        let picture = try await TestPicture()
        defer { picture.destroy() }
        let loads = ViewPipeline()
        let first = Completions()
        picture.display.setImage(with: loads.url(), pipeline: loads.pipeline, completion: first.handler)
        let transfer = await loads.transport.nextTransfer()
        picture.display.setImage(with: loads.url(), pipeline: loads.pipeline)
        XCTAssertEqual(first.outcome, "superseded")
        await transfer.waitUntilCancelled()
    }

    func testSameImageAgainSharesTransferOfSupersededLoad() async throws {
        let picture = try await TestPicture()
        defer { picture.destroy() }
        let loads = ViewPipeline()
        let url = loads.url()
        picture.display.setImage(with: url, pipeline: loads.pipeline)
        let transfer = await loads.transport.nextTransfer()
        let done = Completions()
        picture.display.setImage(with: url, pipeline: loads.pipeline, completion: done.handler)
        await MainLoop.settle()
        try transfer.answer(.blue)
        await done.wait()
        XCTAssertEqual(done.outcome, "success")
        XCTAssertEqual(loads.transport.startedCount, 1)
    }

    func testManyCallsInOneTurnEndOnceEachAndLastIsShown() async throws {
        let picture = try await TestPicture()
        defer { picture.destroy() }
        let loads = ViewPipeline()
        let calls = (0..<50).map { _ in Completions() }
        for (index, done) in calls.enumerated() {
            let url = try index % 7 == 3 ? loads.missing() : loads.url(index == 49 ? .blue : .red)
            picture.display.setImage(
                with: url,
                options: index % 2 == 0 ? [.superseded(.finish)] : [],
                pipeline: loads.pipeline,
                completion: done.handler
            )
        }
        await MainLoop.run { calls.allSatisfy { $0.count > 0 } }
        await MainLoop.settle()
        XCTAssertEqual(Set(calls.map(\.count)), [1])
        XCTAssertEqual(calls.last?.outcome, "success")
        let color = await picture.color()
        XCTAssertEqual(color, .blue)
        XCTAssertFalse(picture.frames.colors.contains(.red))
    }

    func testCancelledLoadCompletesAndLeavesWhatIsShown() async throws {
        let picture = try await TestPicture()
        defer { picture.destroy() }
        let loads = ViewPipeline()
        let done = Completions()
        let task = try XCTUnwrap(
            picture.display.setImage(
                with: loads.url(),
                placeholder: try TestColor.red.image(),
                options: [.failureImage(try TestColor.blue.image()), .indicator(.spinner)],
                pipeline: loads.pipeline,
                completion: done.handler
            )
        )
        let transfer = await loads.transport.nextTransfer()
        XCTAssertEqual(task.request.source, ImageRequest(transfer.request.url).source)
        task.cancel()
        XCTAssertEqual(done.outcome, "cancelled")
        task.cancel()
        await transfer.waitUntilCancelled()
        await MainLoop.settle()
        XCTAssertEqual(done.count, 1)
        let colors = await picture.frames.next()?.colors
        XCTAssertEqual(colors, [.red])
    }

    func testHandleOfSupersededLoadCancelsThatAlone() async throws {
        let picture = try await TestPicture()
        defer { picture.destroy() }
        let loads = ViewPipeline()
        let (first, second) = (Completions(), Completions())
        let task = picture.display.setImage(
            with: loads.url(),
            options: [.superseded(.finish)],
            pipeline: loads.pipeline,
            completion: first.handler
        )
        let transfer = await loads.transport.nextTransfer()
        picture.display.setImage(with: loads.url(), pipeline: loads.pipeline, completion: second.handler)
        let other = await loads.transport.nextTransfer()
        task?.cancel()
        await transfer.waitUntilCancelled()
        XCTAssertEqual(first.outcome, "cancelled")
        try other.answer(.blue)
        await second.wait()
        XCTAssertEqual(second.outcome, "success")
    }
}
