import FoundationEssentials
import Glibc
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("An animation that is encoded")
struct EncodedAnimationTests {
    private let test = TestPipeline(codecs: .standard)
    private let url = Sample.url()
    private let data = AnimationSample.data([50, 100, 150], size: PixelSize(24, 16), loopCount: 3)
    private let crop = ImageOption.processor(.crop(to: .pixels(8, 6)))

    init() {
        test.transport.serve(url, data)
    }

    private func encoded(_ format: EncodedImageFormat, _ options: [ImageOption] = []) async throws -> EncodedImage {
        try await test.pipeline.encoded(for: url, as: format, options: options)
    }

    @Test(
        "keeps its frames, durations and number of plays where the format can hold them",
        arguments: [ImageFormat.gif, .png, .webp]
    )
    func formats(format: ImageFormat) async throws {
        for options: [ImageOption] in [[], [crop], [crop, .processAllFrames], [.animation(.preloaded)]] {
            for _ in 0..<3 {
                let image = try await encoded(.format(format), options)
                let info = try ImageCodecs.standard.info(of: image.data)
                #expect(info.format == format && info.frameCount == 3 && info.loopCount == 3)
                #expect(info.frameDurations == [50, 100, 150])
                #expect(info.size == (options.contains(crop) ? PixelSize(8, 6) : PixelSize(24, 16)))
                let shown = try ImageCodecs.standard.animatedImage(from: image.data, preloadsFrames: true)
                let numbers = shown.animation?.preloadedFrames?.map { Int($0.bitmap.pixel(0, 0)[0]) }
                let isExact = numbers.map { zip($0, [10, 20, 30]).allSatisfy { abs($0 - $1) < 4 } }
                #expect(numbers?.count == 3 && isExact == true)
                // From memory, then from disk.
                await test.settle()
                if test.transport.startedCount > 1 { test.pipeline.cache.removeAllFromMemory() }
            }
        }
    }

    @Test("is complete although memory or disk has its first frame alone")
    func cachedStill() async throws {
        _ = try await test.pipeline.image(from: url, options: [crop])
        await test.settle()
        #expect(try ImageCodecs.standard.info(of: try await encoded(.format(.gif), [crop]).data).frameCount == 3)
        test.pipeline.cache.removeAllFromMemory()
        #expect(try ImageCodecs.standard.info(of: try await encoded(.format(.webp), [crop]).data).frameCount == 3)
    }

    @Test("is a still image where one frame is asked for, or the format holds one")
    func stills() async throws {
        #expect(try ImageCodecs.standard.info(of: try await encoded(.format(.jpeg)).data).frameCount == 1)
        let first = try await encoded(.format(.gif), [.animation(.firstFrame)])
        #expect(try ImageCodecs.standard.info(of: first.data).frameCount == 1)
        let second = try await encoded(.format(.gif), [.frame(1)])
        #expect(try ImageCodecs.standard.info(of: second.data).frameCount == 1)
    }

    @Test("and cancelled meanwhile is not encoded further, nor stored", .timeLimit(.minutes(1)))
    func cancellation() async throws {
        let encoder = StoppedEncoder()
        let test = TestPipeline(codecs: ImageCodecs.standard.registering(encoder: encoder))
        test.transport.serve(url, data)
        let task = Task { [url] in try await test.pipeline.encoded(for: url, as: .format(.gif)) }
        await encoder.begun.wait()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        await encoder.stopped.wait()
        await test.settle()
        #expect(test.pipeline.encodedFromMemory(for: ImageRequest(url), as: .format(.gif)) == nil)
    }

    @Test("whose frames take more memory than allowed fails")
    func memory() async throws {
        let options: [ImageOption] = [
            .decodeLimits(DecodeLimits(memory: 2 * PixelSize(24, 16).bitmapByteCount(depth: .eight)))
        ]
        let error = await #expect(throws: ImageError.self) { try await encoded(.format(.gif), options) }
        #expect(error?.stage == .encode)
        #expect(try ImageCodecs.standard.info(of: try await encoded(.format(.jpeg), options).data).frameCount == 1)
        guard case .codec(.limitExceeded(_, .memory)) = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
    }
}

/// An encoder that goes on until it is cancelled.
private struct StoppedEncoder: AnimationEncoder {
    let begun = Gate()
    let stopped = Gate()

    var format: ImageFormat { .gif }

    func encode(_ bitmap: Bitmap, options: EncodeOptions) throws(CodecError) -> Data { Data() }

    func encode(
        _ frames: [AnimationFrame],
        loopCount: Int,
        options: EncodeOptions,
        isCancelled: @Sendable () -> Bool
    ) throws -> Data {
        begun.open()
        while !isCancelled() { sched_yield() }
        stopped.open()
        throw CancellationError()
    }
}
