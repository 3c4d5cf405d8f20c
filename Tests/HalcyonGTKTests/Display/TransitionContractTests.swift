import CGTK
import Halcyon
import HalcyonTesting
import XCTest

@testable import HalcyonGTK

/// Which images are shown through a transition, and when their calls are completed.
@MainActor
final class TransitionContractTests: XCTestCase {
    func testCompletionComesAfterTransition() async throws {
        let picture = try await TestPicture()
        defer { picture.destroy() }
        let loads = ViewPipeline()
        let done = Completions()
        picture.display.show(try TestColor.red.image())
        let task = picture.display.setImage(
            with: try loads.url(.blue),
            options: [.transition(.fade(0.3)), .keepCurrentImageWhileLoading, .indicator(.spinner)],
            pipeline: loads.pipeline,
            completion: done.handler
        )
        await MainLoop.run { task?.state == .setting }
        XCTAssertEqual(done.count, 0)
        // The image counts as shown, and the indicator is gone, while it appears.
        XCTAssertEqual(picture.display.content, .image)
        let count = picture.frames.frames.count
        done.onCall = { XCTAssertEqual(picture.display.task?.state, .finished) }
        await done.wait()
        XCTAssertEqual(done.outcome, "success")
        let mixtures = picture.frames.frames.dropFirst(count).compactMap(\.middle).filter { $0.red > 0 && $0.blue > 0 }
        XCTAssertGreaterThan(mixtures.count, 2)
        XCTAssertEqual(mixtures.map(\.blue), mixtures.map(\.blue).sorted())
        XCTAssertTrue(mixtures.allSatisfy { $0.green == 0 })
        let end = await picture.color()
        XCTAssertEqual(end, .blue)
    }

    func testImagesFromDiskAndNetworkHaveTransitionAndThoseFromMemoryOnlyIfForced() async throws {
        let loads = ViewPipeline()
        let url = try loads.url(.blue)
        let cases: [(ImageResponse.Source, isForced: Bool, hasTransition: Bool)] = [
            (.network, false, true), (.memory, false, false), (.memory, true, true), (.disk, false, true),
        ]
        for (source, isForced, hasTransition) in cases {
            let picture = try await TestPicture()
            defer { picture.destroy() }
            if source == .disk { loads.pipeline.cache.removeAllFromMemory() }
            var options: [ImageOption] = [.transition(.fade(1000)), .cacheOriginalImage]
            if isForced { options.append(.forceTransition) }
            let task = picture.display.setImage(with: url, options: options, pipeline: loads.pipeline)
            await MainLoop.run { task?.response != nil }
            XCTAssertEqual(task?.response?.source, source)
            XCTAssertEqual(task?.state, hasTransition ? .setting : .finished, "\(source), \(isForced)")
            await loads.pipeline.cache.flush()
        }
    }

    func testFadeChangesNeitherPlaceNorSizeOfImage() async throws {
        let picture = try await TestPicture()
        defer { picture.destroy() }
        let loads = ViewPipeline()
        let task = picture.display.setImage(
            with: try loads.url(.blue, 100, 50),
            placeholder: try TestColor.red.image(100, 100),
            options: [.transition(.fade(20))],
            pipeline: loads.pipeline
        )
        await MainLoop.run { task?.state == .setting }
        await MainLoop.run { (picture.frames.frames.last?.middle?.blue ?? 0) > 20 }
        let during = picture.frames.frames.last
        XCTAssertEqual(task?.state, .setting)
        picture.display.show(try XCTUnwrap(task?.response?.image))
        let after = await picture.frames.next()
        for y in 0..<100 {
            let hasImage = after?[50, y]?.blue == 255
            XCTAssertEqual((during?[50, y]?.blue ?? 0) > 0, hasImage, "row \(y)")
        }
    }

    func testTransitionEndsAtOnceWhenWidgetIsHidden() async throws {
        let picture = try await TestPicture()
        defer { picture.destroy() }
        let loads = ViewPipeline()
        let done = Completions()
        let task = picture.display.setImage(
            with: try loads.url(.blue),
            options: [.transition(.fade(1000))],
            pipeline: loads.pipeline,
            completion: done.handler
        )
        await MainLoop.run { task?.state == .setting }
        picture.setVisible(false)
        // GTK is in the middle of hiding widgets then.
        XCTAssertEqual(done.count, 0)
        await done.wait()
        XCTAssertEqual(done.outcome, "success")
    }

    func testNextCallEndsTransitionAndItsCallSucceeds() async throws {
        let picture = try await TestPicture()
        defer { picture.destroy() }
        let loads = ViewPipeline()
        let done = Completions()
        let task = picture.display.setImage(
            with: try loads.url(.blue),
            options: [.transition(.fade(1000))],
            pipeline: loads.pipeline,
            completion: done.handler
        )
        await MainLoop.run { task?.state == .setting }
        var content: DisplayedContent?
        done.onCall = { content = picture.display.content }
        picture.display.setImage(with: loads.url(), placeholder: try TestColor.red.image(), pipeline: loads.pipeline)
        XCTAssertEqual(done.outcome, "success")
        // Called after the next call has done its part.
        XCTAssertEqual(content, .placeholder)
        let color = await picture.color()
        XCTAssertEqual(color, .red)
    }
}
