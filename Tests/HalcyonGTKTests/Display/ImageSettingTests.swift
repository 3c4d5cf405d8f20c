import CGTK
import Halcyon
import HalcyonTesting
import XCTest

@testable import HalcyonGTK

/// Images that the program shows itself.
@MainActor
final class ImageSettingTests: XCTestCase {
    func testManualImageIsCompletedAndNotShown() async throws {
        let picture = try await TestPicture()
        defer { picture.destroy() }
        let loads = ViewPipeline()
        let done = Completions()
        picture.display.setImage(
            with: try loads.url(.blue),
            placeholder: try TestColor.red.image(),
            options: [.setting(.manual), .transition(.fade(10)), .indicator(.spinner)],
            pipeline: loads.pipeline,
            completion: done.handler
        )
        let waiting = await picture.color()
        XCTAssertNotEqual(waiting, .blue)
        await done.wait()
        XCTAssertEqual(done.outcome, "success")
        XCTAssertEqual(picture.display.content, .placeholder)
        let end = await picture.frames.next()?.colors
        XCTAssertEqual(end, [.red])
        XCTAssertFalse(picture.frames.colors.contains(.blue))
    }

    func testManualImageInMemoryIsNotShownEither() async throws {
        let picture = try await TestPicture()
        defer { picture.destroy() }
        let loads = ViewPipeline()
        let url = try loads.url(.blue)
        try await loads.preload(url)
        picture.display.show(try TestColor.red.image())
        let done = Completions()
        picture.display.setImage(
            with: url,
            options: [.setting(.manual)],
            pipeline: loads.pipeline,
            completion: done.handler
        )
        XCTAssertEqual(done.outcome, "success")
        XCTAssertEqual(try done.results[0].get().source, .memory)
        let color = await picture.color()
        XCTAssertEqual(color, .red)
    }

    /// What the slot shows is the image of an earlier call, though the last one has succeeded.
    func testImageOfAnotherSourceDoesNotStayAfterAManualCall() async throws {
        let picture = try await TestPicture()
        defer { picture.destroy() }
        let loads = ViewPipeline()
        let (first, second) = (Completions(), Completions())
        picture.display.setImage(with: try loads.url(.red), pipeline: loads.pipeline, completion: first.handler)
        await first.wait()
        let url = try loads.url(.blue)
        picture.display.setImage(
            with: url,
            options: [.setting(.manual), .keepCurrentImageWhileLoading, .noCache],
            pipeline: loads.pipeline,
            completion: second.handler
        )
        await second.wait()
        XCTAssertEqual(second.outcome, "success")
        XCTAssertEqual(picture.display.content, .image)
        loads.transport.setRoute(url, nil)
        picture.display.setImage(
            with: url,
            placeholder: try TestColor.yellow.image(),
            options: [.noCache],
            pipeline: loads.pipeline
        )
        XCTAssertEqual(picture.display.content, .placeholder)
        let color = await picture.color()
        XCTAssertEqual(color, .yellow)
    }

    func testManualLoadThatFailsShowsDelayedPlaceholder() async throws {
        let picture = try await TestPicture()
        defer { picture.destroy() }
        let loads = ViewPipeline()
        let done = Completions()
        picture.display.setImage(
            with: loads.missing(),
            placeholder: try TestColor.red.image(),
            options: [.setting(.manual), .delayPlaceholder],
            pipeline: loads.pipeline,
            completion: done.handler
        )
        XCTAssertEqual(picture.display.content, .nothing)
        await done.wait()
        XCTAssertEqual(done.outcome, "failure")
        let color = await picture.color()
        XCTAssertEqual(color, .red)
    }

    func testCompletionWaitsForSettingOfProgram() async throws {
        let picture = try await TestPicture()
        defer { picture.destroy() }
        let loads = ViewPipeline()
        let held = Gate()
        var steps: [String] = []
        let setting = ImageSetting.custom { response in
            steps.append("set \(response.image.size)")
            await held.wait()
            steps.append("end")
        }
        let done = Completions()
        done.onCall = { steps.append("completion") }
        let task = picture.display.setImage(
            with: try loads.url(.blue),
            options: [.setting(setting)],
            pipeline: loads.pipeline,
            completion: done.handler
        )
        await MainLoop.run { !steps.isEmpty }
        await MainLoop.settle()
        XCTAssertEqual(task?.state, .setting)
        XCTAssertEqual(done.count, 0)
        held.open()
        await done.wait()
        XCTAssertEqual(steps, ["set \(PixelSize(80, 80))", "end", "completion"])
        XCTAssertEqual(done.outcome, "success")
        XCTAssertNotEqual(picture.display.content, .image)
    }

    func testSettingOfProgramGetsPlaceholderAndCompletionWaitsForBoth() async throws {
        let picture = try await TestPicture()
        defer { picture.destroy() }
        let loads = ViewPipeline()
        for isFound in [true, false] {
            let held = Gate()
            var steps: [String] = []
            let setting = ImageSetting.custom(
                placeholder: { placeholder in
                    steps.append("placeholder \(placeholder?.width ?? 0)")
                    await held.wait()
                    steps.append("placeholder is set")
                },
                image: { _ in steps.append("image") }
            )
            let done = Completions()
            done.onCall = { steps.append(done.outcome) }
            let task = picture.display.setImage(
                with: isFound ? try loads.url(.blue) : loads.missing(),
                placeholder: try TestColor.red.image(30, 20),
                options: [.setting(setting)],
                pipeline: loads.pipeline,
                completion: done.handler
            )
            await MainLoop.run { task?.state == .setting }
            await MainLoop.settle()
            XCTAssertEqual(steps, ["placeholder 30.0"])
            XCTAssertEqual(picture.display.content, .nothing)
            held.open()
            await done.wait()
            let end = isFound ? ["image", "success"] : ["failure"]
            XCTAssertEqual(steps, ["placeholder 30.0", "placeholder is set"] + end)
        }
    }

    func testPlaceholderAfterFailureHasTransition() async throws {
        let place = try await TestPlace()
        defer { place.destroy() }
        let loads = ViewPipeline()
        let done = Completions()
        place.display.setImage(
            with: loads.missing(),
            placeholder: try TestColor.red.image(),
            options: [.delayPlaceholder, .transition(.fade(100))],
            pipeline: loads.pipeline,
            completion: done.handler
        )
        await done.wait()
        XCTAssertEqual(done.outcome, "failure")
        XCTAssertEqual(place.display.content, .placeholder)
        let controller = WidgetState.existing(place.widget.raw)?.existingController(for: .image)
        XCTAssertEqual(controller?.transitionIsRunning, true)
    }

    func testSettingOfProgramIsCancelledByNextCall() async throws {
        let picture = try await TestPicture()
        defer { picture.destroy() }
        let loads = ViewPipeline()
        let held = Gate()
        var wasCancelled = false
        var hasBegun = false
        let setting = ImageSetting.custom { _ in
            hasBegun = true
            await held.wait()
            wasCancelled = Task.isCancelled
        }
        let done = Completions()
        picture.display.setImage(
            with: try loads.url(.blue),
            options: [.setting(setting)],
            pipeline: loads.pipeline,
            completion: done.handler
        )
        await MainLoop.run { hasBegun }
        picture.display.show(try TestColor.red.image())
        XCTAssertEqual(done.outcome, "superseded with its image")
        held.open()
        await MainLoop.run { wasCancelled }
        XCTAssertEqual(done.count, 1)
    }

    func testOptionsOfCallComeBeforeThoseOfPipelineAlsoWhereTheyAreTheDefault() async throws {
        let picture = try await TestPicture()
        defer { picture.destroy() }
        let loads = ViewPipeline(defaultOptions: [.setting(.manual), .transition(.fade(1000))])
        let done = Completions()
        picture.display.setImage(
            with: try loads.url(.blue),
            options: [.setting(.automatic), .transition(.none)],
            pipeline: loads.pipeline,
            completion: done.handler
        )
        await done.wait()
        let color = await picture.color()
        XCTAssertEqual(color, .blue)
        let other = Completions()
        picture.display.setImage(with: try loads.url(.red), pipeline: loads.pipeline, completion: other.handler)
        await other.wait()
        XCTAssertEqual(picture.display.content, .nothing)
    }

    /// A closure that has not begun when another call comes is not called.
    func testSettingThatWaitsForThePlaceholderEndsWithTheNextCall() async throws {
        let picture = try await TestPicture()
        defer { picture.destroy() }
        let loads = ViewPipeline()
        let held = Gate()
        let log = Log()
        let setting = ImageSetting.custom { _ in
            log.events.append("placeholder")
            await held.wait()
        } image: { _ in
            log.events.append("image")
        }
        let (first, second) = (Completions(), Completions())
        picture.display.setImage(
            with: try loads.url(.blue),
            placeholder: try TestColor.red.image(),
            options: [.setting(setting)],
            pipeline: loads.pipeline,
            completion: first.handler
        )
        await MainLoop.run { picture.display.task?.state == .setting && log.events.count == 1 }
        picture.display.setImage(with: try loads.url(.green), pipeline: loads.pipeline, completion: second.handler)
        await second.wait()
        held.open()
        await MainLoop.settle()
        XCTAssertEqual(log.events, ["placeholder"])
        XCTAssertEqual([first.outcome, second.outcome], ["superseded with its image", "success"])
        let color = await picture.color()
        XCTAssertEqual(color, .green)

        picture.display.setImage(
            with: loads.url(),
            placeholder: try TestColor.red.image(),
            options: [.setting(setting), .visibility(.always)],
            pipeline: loads.pipeline
        )
        picture.display.setImage(with: nil as ImageRequest?)
        await MainLoop.settle()
        XCTAssertEqual(log.events, ["placeholder"])
    }
}
