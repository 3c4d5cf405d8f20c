import CGTK
import Halcyon
import HalcyonTesting
import XCTest

@testable import HalcyonGTK

/// What is shown for a call, from its beginning to its end.
@MainActor
final class ImageContentTests: XCTestCase {
    func testImageFromNetworkReplacesPlaceholderAndCompletesOnce() async throws {
        let picture = try await TestPicture()
        defer { picture.destroy() }
        let loads = ViewPipeline()
        let done = Completions()
        let task = picture.display.setImage(
            with: loads.url(),
            placeholder: try TestColor.red.image(),
            pipeline: loads.pipeline,
            completion: done.handler
        )
        XCTAssertEqual(picture.display.content, .placeholder)
        XCTAssertNil(picture.display.image)
        let first = await picture.color()
        XCTAssertEqual(first, .red)
        XCTAssertEqual(task?.state, .loading)
        try await loads.transport.nextTransfer().answer(.blue)
        await done.wait()
        XCTAssertEqual(done.outcome, "success")
        XCTAssertEqual(picture.display.content, .image)
        XCTAssertEqual(try done.results[0].get().source, .network)
        let second = await picture.color()
        XCTAssertEqual(second, .blue)
        XCTAssertEqual(picture.frames.colors.compactMap(\.self), [.red, .blue])
        await MainLoop.settle()
        XCTAssertEqual(done.count, 1)
    }

    func testImageInMemoryIsDrawnInNextFrameWithoutPlaceholder() async throws {
        let picture = try await TestPicture()
        defer { picture.destroy() }
        let loads = ViewPipeline()
        let (red, blue) = (try loads.url(.red), try loads.url(.blue))
        try await loads.preload(red, blue)
        picture.display.setImage(with: red, pipeline: loads.pipeline)
        let before = await picture.color()
        XCTAssertEqual(before, .red)
        let done = Completions()
        let count = picture.frames.frames.count
        picture.display.setImage(
            with: blue,
            placeholder: try TestColor.green.image(),
            options: [.transition(.fade(10)), .indicator(.spinner)],
            pipeline: loads.pipeline,
            completion: done.handler
        )
        // Shown and completed before the call returns; what comes from memory has no transition, and no progress.
        XCTAssertEqual(done.outcome, "success")
        XCTAssertEqual(picture.display.task?.progress, ImageProgress())
        XCTAssertEqual(picture.display.content, .image)
        let after = await picture.frames.next()
        XCTAssertEqual(after?.colors, [.blue])
        XCTAssertEqual(picture.frames.frames[count].middle, .blue)
        XCTAssertEqual(picture.frames.colors.compactMap(\.self), [.red, .blue])
    }

    func testNothingIsShownWithoutPlaceholder() async throws {
        let picture = try await TestPicture()
        defer { picture.destroy() }
        let loads = ViewPipeline()
        picture.display.show(try TestColor.red.image())
        picture.display.setImage(with: loads.url(), pipeline: loads.pipeline)
        XCTAssertEqual(picture.display.content, .nothing)
        let color = await picture.color()
        XCTAssertNil(color)
    }

    func testPlaceholderStaysIfLoadFails() async throws {
        try await assertFailure(shows: .placeholder, .red, placeholder: .red)
    }

    func testFailureImageReplacesPlaceholder() async throws {
        let image = try TestColor.magenta.image()
        try await assertFailure([.failureImage(image)], shows: .failure, .magenta, placeholder: .red)
    }

    func testFailureImageReplacesCurrentImageThatIsKept() async throws {
        let image = try TestColor.magenta.image()
        let options: [ImageOption] = [.failureImage(image), .keepCurrentImageWhileLoading]
        try await assertFailure(options, shows: .failure, .magenta, current: .green)
    }

    func testFailureClearsPlaceholderOnRequest() async throws {
        try await assertFailure([.clearOnFailure], shows: .nothing, nil, placeholder: .red)
    }

    func testCurrentImageIsKeptWhileLoadingAndIfLoadFails() async throws {
        let options: [ImageOption] = [.keepCurrentImageWhileLoading]
        try await assertFailure(options, shows: .image, .green, placeholder: .red, current: .green)
    }

    func testPlaceholderIsShownWhereThereIsNoCurrentImageToKeep() async throws {
        try await assertFailure([.keepCurrentImageWhileLoading], shows: .placeholder, .red, placeholder: .red)
    }

    func testDelayedPlaceholderIsShownIfLoadFails() async throws {
        try await assertFailure([.delayPlaceholder], shows: .placeholder, .red, placeholder: .red)
    }

    func testDelayedPlaceholderIsNotShownBeforeImage() async throws {
        let picture = try await TestPicture()
        defer { picture.destroy() }
        let loads = ViewPipeline()
        let done = Completions()
        picture.display.setImage(
            with: loads.url(),
            placeholder: try TestColor.red.image(),
            options: [.delayPlaceholder],
            pipeline: loads.pipeline,
            completion: done.handler
        )
        let before = await picture.color()
        XCTAssertNil(before)
        try await loads.transport.nextTransfer().answer(.blue)
        await done.wait()
        let after = await picture.color()
        XCTAssertEqual(after, .blue)
        XCTAssertEqual(picture.frames.colors.compactMap(\.self), [.blue])
    }

    func testPlaceholderMayBePaintableOfProgram() async throws {
        let picture = try await TestPicture()
        defer { picture.destroy() }
        let loads = ViewPipeline()
        let texture = try Paintable(TestColor.yellow.image(10, 10))
        picture.display.setImage(with: loads.url(), placeholder: Paintable(texture.pointer), pipeline: loads.pipeline)
        let color = await picture.color()
        XCTAssertEqual(color, .yellow)
    }

    func testCallWithoutSourceShowsPlaceholderAndEndsEarlierCall() async throws {
        let picture = try await TestPicture()
        defer { picture.destroy() }
        let loads = ViewPipeline()
        let (first, second) = (Completions(), Completions())
        picture.display.setImage(
            with: loads.url(),
            placeholder: try TestColor.red.image(),
            options: [.indicator(.spinner)],
            pipeline: loads.pipeline,
            completion: first.handler
        )
        let transfer = await loads.transport.nextTransfer()
        let task = picture.display.setImage(
            with: nil,
            placeholder: try TestColor.yellow.image(),
            pipeline: loads.pipeline,
            completion: second.handler
        )
        XCTAssertNil(task)
        XCTAssertNil(picture.display.task)
        XCTAssertEqual([first.outcome, second.outcome], ["superseded", "no source"])
        await transfer.waitUntilCancelled()
        let colors = await picture.frames.next()?.colors
        XCTAssertEqual(colors, [.yellow])
        picture.display.setImage(with: nil)
        let color = await picture.color()
        XCTAssertNil(color)
    }

    func testNothingOfEarlierLoadIsReportedOrDrawnAfterCallWithoutSource() async throws {
        let picture = try await TestPicture()
        defer { picture.destroy() }
        let loads = ViewPipeline()
        var reports = 0
        let first = Completions()
        // The earlier load goes on, and has previews, progress and an image.
        picture.display.setImage(
            with: loads.url(),
            options: [.superseded(.finish), .previews([.url(try loads.url(.red))])],
            pipeline: loads.pipeline,
            progress: { _ in reports += 1 },
            completion: first.handler
        )
        let transfer = await loads.transport.nextTransfer()
        let body = try TestColor.blue.png()
        transfer.respond(headers: [.contentLength: "\(body.count)"])
        transfer.send(body.prefix(20))
        await MainLoop.run { reports > 0 }
        picture.display.setImage(with: nil)
        let count = reports
        transfer.send(body.dropFirst(20))
        transfer.finish()
        await first.wait()
        await MainLoop.settle()
        _ = await picture.color()
        XCTAssertEqual(first.outcome, "superseded with its image")
        XCTAssertEqual(reports, count)
        XCTAssertEqual(picture.display.content, .nothing)
        XCTAssertFalse(picture.frames.colors.contains(.blue))
        XCTAssertNil(picture.frames.frames.last?.middle)
    }

    func testPreviewIsShownAndReplaced() async throws {
        let picture = try await TestPicture()
        defer { picture.destroy() }
        let loads = ViewPipeline()
        let done = Completions()
        picture.display.setImage(
            with: loads.url(),
            placeholder: try TestColor.green.image(),
            options: [.previews([.url(try loads.url(.red))])],
            pipeline: loads.pipeline,
            completion: done.handler
        )
        await MainLoop.run { picture.display.content == .preview }
        XCTAssertNil(picture.display.image)
        let preview = await picture.color()
        XCTAssertEqual(preview, .red)
        try await loads.transport.nextTransfer().answer(.blue)
        await done.wait()
        let image = await picture.color()
        XCTAssertEqual(image, .blue)
        XCTAssertEqual(picture.display.content, .image)
    }

    func testPreviewInMemoryIsDrawnWithoutPlaceholder() async throws {
        let picture = try await TestPicture()
        defer { picture.destroy() }
        let loads = ViewPipeline()
        let small = try loads.url(.red)
        try await loads.preload(small)
        picture.display.setImage(
            with: loads.url(),
            placeholder: try TestColor.green.image(),
            options: [.previews([.url(small)])],
            pipeline: loads.pipeline
        )
        XCTAssertEqual(picture.display.content, .preview)
        _ = await picture.color()
        XCTAssertEqual(picture.frames.colors.compactMap(\.self), [.red])
    }

    /// Lets a load fail.
    ///
    /// - Parameters:
    ///   - content: What is shown in the end.
    ///   - color: Its colour.
    ///   - current: The image that is shown before.
    private func assertFailure(
        _ options: [ImageOption] = [],
        shows content: DisplayedContent,
        _ color: TestColor?,
        placeholder: TestColor? = nil,
        current: TestColor? = nil,
        line: UInt = #line
    ) async throws {
        let picture = try await TestPicture()
        defer { picture.destroy() }
        let loads = ViewPipeline()
        let done = Completions()
        if let current { picture.display.show(try current.image()) }
        picture.display.setImage(
            with: loads.url(),
            placeholder: try placeholder?.image(),
            options: options,
            pipeline: loads.pipeline,
            completion: done.handler
        )
        let waiting = await picture.color(line: line)
        let keeps = options.contains(.keepCurrentImageWhileLoading) && current != nil
        let delays = options.contains(.delayPlaceholder)
        XCTAssertEqual(waiting, keeps ? current : delays ? nil : placeholder, line: line)
        await loads.transport.nextTransfer().answer(ScriptedTransport.Route(status: 404))
        await done.wait(line: line)
        XCTAssertEqual(done.outcome, "failure", line: line)
        XCTAssertEqual(picture.display.content, content, line: line)
        let end = await picture.color(line: line)
        XCTAssertEqual(end, color, line: line)
    }
}
