import FoundationEssentials
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("Type hints and large images in a pipeline")
struct DecodePolicyTests {
    private let test = TestPipeline()
    private let url = Sample.url()
    /// 64 × 48 pixels take 12,288 bytes.
    private let bounded: [ImageOption] = [.scaleDownLargeImages(limit: 4_096)]

    @Test("a hint makes an image of bytes that tell no format, from network, disk and a provider")
    func hint() async throws {
        let test = TestPipeline(codecs: ImageCodecs.standard.registering(decoder: GrayDecoder()))
        let samples = Data(repeating: 7, count: 16)
        test.transport.serve(url, samples)
        let hinted: [ImageOption] = [.typeHint(GrayDecoder.gray)]
        for source in [ImageResponse.Source.network, .memory, .disk] {
            if source == .disk { test.pipeline.cache.removeAllFromMemory() }
            let response = try await test.pipeline.response(for: url, options: hinted)
            #expect(response.source == source && response.image.size == PixelSize(4, 4))
            await test.settle()
        }
        let bytes = ImageRequest(.data(samples, cacheKey: "samples"), options: hinted)
        #expect(try await test.pipeline.image(from: bytes).size == PixelSize(4, 4))
        #expect(test.pipeline.responseFromMemory(for: url) == nil)
        #expect(ImageKey(ImageRequest(url)) != ImageKey(ImageRequest(url, options: hinted)))
        let prefetcher = ImagePrefetcher(
            urls: [Sample.url()],
            options: hinted,
            pipeline: test.pipeline,
            destination: .disk
        )
        test.transport.setAnswer { _ in .init(body: samples) }
        #expect(await prefetcher.run().completed.count == 1)
    }

    @Test("a hint does not make an image of what is recognized as something else")
    func certain() async throws {
        test.transport.serve(url, Data("%PDF-1.7 and more".utf8))
        let error = await #expect(throws: ImageError.self) {
            try await test.pipeline.image(from: url, options: [.typeHint(.png)])
        }
        #expect(error?.reason == .codec(.unknownFormat(detected: "PDF")))
        test.transport.serve(url, Sample.png(seed: 1))
        let image = try await test.pipeline.image(from: url, options: [.typeHint(.jpeg)])
        #expect(image.info.format == .png)
    }

    @Test("bytes that are refused without a hint are not refused with one because of that")
    func remembered() async throws {
        let recovery = RecoveryConfiguration(failureMemory: FailureMemory())
        let test = TestPipeline(codecs: ImageCodecs.standard.registering(decoder: GrayDecoder()), recovery: recovery)
        test.transport.serve(url, Data(repeating: 7, count: 16))
        await #expect(throws: ImageError.self) { try await test.pipeline.image(from: url) }
        #expect(
            try await test.pipeline.image(from: url, options: [.typeHint(GrayDecoder.gray)]).size == PixelSize(4, 4)
        )
    }

    @Test("an image that is cut short is shown and says so, from network, memory and disk, and no result is stored")
    func partial() async throws {
        let data = Sample.pngCutShort()
        test.transport.serve(url, data)
        for options: [ImageOption] in [[], [.processor(.crop(to: .pixels(30, 48))), .cacheOriginalImage]] {
            for source in [ImageResponse.Source.network, .memory, .disk] {
                if source == .disk { test.pipeline.cache.removeAllFromMemory() }
                let response = try await test.pipeline.response(for: url, options: options)
                #expect(response.source == source && response.image.isPartial)
                await test.settle()
                // The original alone.
                #expect(try await test.pipeline.cache.diskStatistics().count == 1)
                #expect(test.pipeline.responseFromMemory(for: url, options: options)?.image.isPartial == true)
            }
            let encoded = try await test.pipeline.encoded(for: url, as: .format(.png), options: options)
            #expect(encoded.isPartial)
            await test.settle()
            #expect(try await test.pipeline.cache.diskStatistics().count == 1)
            try await test.pipeline.cache.removeAll()
        }
        let bytes = ImageRequest(.data(data, cacheKey: "bytes"))
        #expect(try await test.pipeline.image(from: bytes).isPartial)
        test.transport.serve(url, Sample.png(64, 48))
        #expect(try await test.pipeline.image(from: url).isPartial == false)
    }

    @Test("an image that is cut short, of a response without a length, is not kept: its transfer may have been cut")
    func partialWithoutLength() async throws {
        for options: [ImageOption] in [[], [.processor(.crop(to: .pixels(30, 48))), .cacheOriginalImage]] {
            for (body, count) in [(Sample.pngCutShort(), 0), (Sample.png(64, 48), options == [] ? 1 : 2)] {
                try await test.pipeline.cache.removeAll()
                test.transport.setRoute(url, nil)
                async let response = test.pipeline.response(for: url, options: options)
                let transfer = await test.transport.nextTransfer()
                transfer.respond(headers: [.eTag: "\"1\""])
                transfer.send(body)
                transfer.finish()
                #expect(try await response.image.isPartial == (count == 0))
                await test.settle()
                #expect(try await test.pipeline.cache.diskStatistics().count == count)
            }
        }
    }

    @Test("an image that is cut short is refused where the options say so, and shown to others before and after")
    func refused() async throws {
        let recovery = RecoveryConfiguration(failureMemory: FailureMemory())
        let test = TestPipeline(recovery: recovery)
        let data = Sample.pngCutShort()
        test.transport.serve(url, data)
        for source in [ImageResponse.Source.network, .memory] {
            let error = await #expect(throws: ImageError.self) {
                try await test.pipeline.image(from: url, options: [.damage(.isRefused)])
            }
            #expect(error?.isDamage == true)
            await test.settle()
            let response = try await test.pipeline.response(for: url)
            #expect(response.source == source && response.image.isPartial)
        }
        let partial = try await test.pipeline.image(from: url)
        let refusing = ImageRequest(url, options: [.damage(.isRefused)])
        #expect(try await test.pipeline.cache.store(partial, for: refusing) == false)
        #expect(test.pipeline.cache.entryInMemory(for: refusing) == nil)
        // One that is refused, though on disk, is loaded anew: the server may have the whole one by now.
        #expect(test.transport.startedCount == 3)
    }

    @Test("a large image is scaled down from network, memory and disk, and the whole one is kept apart")
    func scaledDown() async throws {
        test.transport.serve(url, Sample.png(64, 48))
        for source in [ImageResponse.Source.network, .memory, .disk] {
            if source == .disk { test.pipeline.cache.removeAllFromMemory() }
            let response = try await test.pipeline.response(for: url, options: bounded)
            #expect(response.source == source && response.image.bitmap.byteCount <= 4_096)
            #expect(response.image.size == PixelSize(32, 24) || response.image.size == PixelSize(36, 27))
            #expect(response.image.info.size == PixelSize(64, 48))
            await test.settle()
        }
        #expect(try await test.pipeline.image(from: url).size == PixelSize(64, 48))
        let bytes = ImageRequest(.data(Sample.png(64, 48), cacheKey: "bytes"), options: bounded)
        #expect(try await test.pipeline.image(from: bytes).bitmap.byteCount <= 4_096)
    }

    @Test("a small image stays as it is, under a limit")
    func small() async throws {
        test.transport.serve(url, Sample.png(20, 10))
        #expect(try await test.pipeline.image(from: url, options: bounded).size == PixelSize(20, 10))
    }

    @Test("the limit can be one of the whole pipeline")
    func defaultOption() async throws {
        let test = TestPipeline(defaultOptions: bounded)
        test.transport.serve(url, Sample.png(64, 48))
        #expect(try await test.pipeline.image(from: url).bitmap.byteCount <= 4_096)
        #expect(test.pipeline.responseFromMemory(for: url)?.image.bitmap.byteCount ?? .max <= 4_096)
        let whole = ImageOption { $0.decode.largestByteCount = nil }
        #expect(try await test.pipeline.image(from: url, options: [whole]).size == PixelSize(64, 48))
    }

    @Test("the longest side can be limited, for one request or for the whole pipeline, and is in the key")
    func sideLength() async throws {
        let limited: [ImageOption] = [.largestSideLength(32)]
        let test = TestPipeline(defaultOptions: limited)
        test.transport.serve(url, Sample.png(64, 48))
        for source in [ImageResponse.Source.network, .memory, .disk] {
            if source == .disk { test.pipeline.cache.removeAllFromMemory() }
            let response = try await test.pipeline.response(for: url)
            #expect(response.source == source && response.image.size == PixelSize(32, 24))
            await test.settle()
        }
        // Of two limits, both hold.
        let both: [ImageOption] = [.largestSideLength(40), .scaleDownLargeImages(limit: 64 * 12)]
        #expect(try await test.pipeline.image(from: url, options: both).bitmap.byteCount <= 64 * 12)
        let whole = ImageOption { $0.decode.largestSideLength = nil }
        #expect(try await test.pipeline.image(from: url, options: [whole]).size == PixelSize(64, 48))
        let target: [ImageOption] = [.targetSize(.pixels(width: 50)), .precision(.inexact)]
        #expect(try await test.pipeline.image(from: url, options: target).size == PixelSize(32, 24))
        let provided = ImageRequest(.closure(cacheKey: "provided") { Sample.png(64, 48) })
        #expect(try await test.pipeline.image(from: provided).size == PixelSize(32, 24))
        #expect(ImageKey(ImageRequest(url)) != ImageKey(ImageRequest(url, options: limited)))
    }

    @Test("what is too large stays the largest that a processor that does not enlarge makes")
    func processors() async throws {
        test.transport.serve(url, Sample.png(64, 48))
        let large = bounded + [.processor(.downsample(to: .pixels(60, 60)))]
        #expect(try await test.pipeline.image(from: url, options: large).bitmap.byteCount <= 4_096)
        let small = bounded + [.processor(.downsample(to: .pixels(16, 16)))]
        #expect(try await test.pipeline.image(from: url, options: small).size == PixelSize(16, 12))
        let round = bounded + [.processor(.roundCorners(radius: .points(4))), .waitForCache]
        let made = try await test.pipeline.image(from: url, options: round)
        test.pipeline.cache.removeAllFromMemory()
        let found = try await test.pipeline.response(for: url, options: round)
        #expect(found.source == .disk && found.image.size == made.size && made.bitmap.byteCount <= 4_096)
    }

    @Test("loads with different limits share a transfer, and no decoding")
    func sharing() async throws {
        let options: [[ImageOption]] = [bounded, bounded, []]
        let tasks = options.map { test.pipeline.task(for: url, options: $0) }
        let transfer = await test.transport.nextTransfer()
        await eventually { [test] in test.pipeline.stages.original.work.waiterCount == 2 }
        await eventually { [test] in test.pipeline.stages.images.waiterCount == 3 }
        transfer.answer(.init(body: Sample.png(64, 48)))
        #expect(try await tasks[0].image.bitmap.byteCount <= 4_096)
        #expect(try await tasks[1].image.bitmap.byteCount <= 4_096)
        #expect(try await tasks[2].image.size == PixelSize(64, 48))
        #expect(test.counters.decodes == 2)
    }

    @Test("a scaled-down image does not take the place of its original on disk")
    func storing() async throws {
        let image = DecodedImage(bitmap: Sample.bitmap(8, 6), info: ImageInfo(format: .png, size: PixelSize(64, 48)))
        #expect(try await !test.pipeline.cache.store(image, for: ImageRequest(url, options: bounded)))
        #expect(try await test.pipeline.cache.diskStatistics().count == 0)
    }
}

/// Reads squares of grey samples without a header, which nothing recognizes.
private struct GrayDecoder: ImageDecoder {
    static let gray = ImageFormat(rawValue: "gray")

    var format: ImageFormat { Self.gray }

    func recognizes(_ prefix: Data) -> Bool { false }

    func info(of data: Data, limits: DecodeLimits) throws(CodecError) -> ImageInfo {
        let side = Int(Double(data.count).squareRoot())
        return ImageInfo(format: format, size: PixelSize(side, side))
    }

    func decode(_ data: Data, options: DecodeOptions, isCancelled: @Sendable () -> Bool) throws -> DecodedImage {
        let info = try info(of: data, limits: options.limits)
        return DecodedImage(bitmap: Sample.bitmap(info.size.width, info.size.height), info: info)
    }
}
