import CGTK
import Foundation
import Halcyon
import HalcyonTesting
import XCTest

@testable import HalcyonGTK

/// Superseding and cancelling reach the work that is under way.
@MainActor
final class LoadCancellationTests: XCTestCase {
    func testCancellingLoadFromDiskStopsItsDecoding() async throws {
        try await assertDecodingStops { display, _ in display.cancel() }
    }

    func testSupersededLoadFromDiskNeverReachesMemory() async throws {
        try await assertDecodingStops { display, _ in display.show(nil) }
    }

    /// Ends a load while its image is decoded.
    private func assertDecodingStops(_ end: (ImageDisplay, URL) -> Void, line: UInt = #line) async throws {
        let picture = try await TestPicture()
        defer { picture.destroy() }
        let decoder = HeldDecoder()
        let loads = ViewPipeline(codecs: ImageCodecs(decoders: [decoder], encoders: ImageCodecs.standard.encoders))
        let url = try loads.url(.blue)
        try await loads.preload(url)
        loads.pipeline.cache.removeAllFromMemory()
        decoder.isHeld.open()
        let done = Completions()
        picture.display.setImage(with: url, pipeline: loads.pipeline, completion: done.handler)
        await MainLoop.run(line: line) { decoder.hasBegun.isOpen }
        end(picture.display, url)
        XCTAssertEqual(done.count, 1, line: line)
        decoder.mayGoOn.open()
        await MainLoop.run(line: line) { decoder.hasEnded.isOpen }
        XCTAssertTrue(decoder.wasCancelled.isOpen, line: line)
        await MainLoop.settle()
        let request = ImageRequest(url, options: .ofTestPicture)
        XCTAssertNil(loads.pipeline.responseFromMemory(for: request), line: line)
        XCTAssertEqual(loads.transport.startedCount, 1, line: line)
        XCTAssertEqual(picture.display.content, .nothing, line: line)
    }

    func testAwaitedImageIsReturnedOnceItIsShown() async throws {
        let picture = try await TestPicture()
        defer { picture.destroy() }
        let loads = ViewPipeline()
        let url = try loads.url(.blue)
        var response: ImageResponse?
        Task {
            response = try await picture.display.showImage(
                with: ImageRequest(url, options: [.transition(.fade(.milliseconds(20)))]),
                pipeline: loads.pipeline
            )
            XCTAssertEqual(picture.display.task?.state, .finished)
        }
        await MainLoop.run { response != nil }
        XCTAssertEqual(response?.source, .network)
        XCTAssertEqual(picture.display.content, .image)
    }

    func testAwaitedImageThatFailsThrows() async throws {
        let picture = try await TestPicture()
        defer { picture.destroy() }
        let loads = ViewPipeline()
        let url = loads.missing()
        var failure: (any Error)?
        Task {
            do {
                try await picture.display.showImage(with: ImageRequest(url), pipeline: loads.pipeline)
            } catch { failure = error }
        }
        await MainLoop.run { failure != nil }
        XCTAssertTrue(failure is ImageError)
    }

    func testCancellingTaskThatAwaitsImageCancelsItsLoadAlone() async throws {
        let picture = try await TestPicture()
        defer { picture.destroy() }
        let loads = ViewPipeline()
        var failure: (any Error)?
        let task = Task {
            do {
                try await picture.display.showImage(with: ImageRequest(loads.url()), pipeline: loads.pipeline)
            } catch { failure = error }
        }
        var transfer: ScriptedTransfer?
        Task { transfer = await loads.transport.nextTransfer() }
        await MainLoop.run { transfer != nil }
        task.cancel()
        await MainLoop.run { failure != nil }
        XCTAssertTrue(failure is CancellationError)
        await transfer?.waitUntilCancelled()
        // One that is cancelled before it begins leaves the slot alone.
        picture.display.show(try TestColor.red.image())
        failure = nil
        let early = Task {
            do {
                try await picture.display.showImage(with: ImageRequest(loads.url()), pipeline: loads.pipeline)
            } catch { failure = error }
        }
        early.cancel()
        await MainLoop.run { failure != nil }
        XCTAssertTrue(failure is CancellationError)
        XCTAssertEqual(picture.display.content, .image)
    }

    func testImageOfProviderIsShown() async throws {
        let picture = try await TestPicture()
        defer { picture.destroy() }
        let loads = ViewPipeline()
        let done = Completions()
        picture.display.setImage(
            with: .provider(ColorProvider(png: try TestColor.blue.png())),
            pipeline: loads.pipeline,
            completion: done.handler
        )
        await done.wait()
        let color = await picture.color()
        XCTAssertEqual(color, .blue)
        XCTAssertEqual(try done.results[0].get().source, .data)
    }

    func testCopiesOfRequestAreIndependent() async throws {
        let picture = try await TestPicture()
        defer { picture.destroy() }
        let loads = ViewPipeline()
        var request = ImageRequest(try loads.url(.blue), options: [.setting(.manual)])
        let done = Completions()
        picture.display.setImage(with: request, pipeline: loads.pipeline, completion: done.handler)
        request = request.applying([.setting(.automatic)])
        await done.wait()
        XCTAssertEqual(picture.display.content, .nothing)
        XCTAssertNotEqual(picture.display.task?.request, request)
    }

    func testAnotherObjectOfProgramNeedsOneLine() async throws {
        struct Wrapper: ImageDisplaying {
            let displayPointer: UnsafeMutableRawPointer
        }
        let picture = try await TestPicture()
        defer { picture.destroy() }
        let loads = ViewPipeline()
        let done = Completions()
        let wrapper = Wrapper(displayPointer: UnsafeMutableRawPointer(picture.widget))
        let url = try loads.url(.blue)
        wrapper.hc.indicator = .spinner
        wrapper.hc.setImage(with: url, pipeline: loads.pipeline) { done.handler($0) }
        await done.wait()
        XCTAssertEqual(done.outcome, "success")
        XCTAssertEqual(wrapper.hc.task?.request.source, .url(url))
    }
}

/// Gives the bytes of an image.
private struct ColorProvider: ImageDataProvider {
    let png: Data

    var cacheKey: String { "colour" }

    func data() async throws -> Data { png }
}

/// Decodes PNG; once it is told to, it waits in the middle and says whether the decoding was cancelled by then.
private struct HeldDecoder: ImageDecoder {
    let isHeld = Gate()
    let hasBegun = Gate()
    let mayGoOn = Gate()
    let hasEnded = Gate()
    let wasCancelled = Gate()

    private var base: any ImageDecoder {
        get throws { try XCTUnwrap(ImageCodecs.standard.decoders.first { $0.format == .png }) }
    }

    var format: ImageFormat { .png }

    func recognizes(_ prefix: Data) -> Bool { (try? base.recognizes(prefix)) ?? false }

    func info(of data: Data, limits: DecodeLimits) throws(CodecError) -> ImageInfo {
        guard let base = try? base else { preconditionFailure("there is a decoder of PNG") }
        return try base.info(of: data, limits: limits)
    }

    func decode(_ data: Data, options: DecodeOptions, isCancelled: @Sendable () -> Bool) throws -> DecodedImage {
        guard isHeld.isOpen else { return try base.decode(data, options: options, isCancelled: isCancelled) }
        hasBegun.open()
        mayGoOn.block()
        defer { hasEnded.open() }
        guard !isCancelled() else {
            wasCancelled.open()
            throw CancellationError()
        }
        return try base.decode(data, options: options, isCancelled: isCancelled)
    }
}
