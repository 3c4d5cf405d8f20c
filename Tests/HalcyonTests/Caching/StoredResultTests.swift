import FoundationEssentials
import HalcyonSystem
import HalcyonTesting
import Testing

@_spi(Views) @testable import Halcyon

@Suite("The result of processors on disk")
struct StoredResultTests {
    private let url = Sample.url()

    @Test("is found again though it is larger than what is taken from others")
    func large() async throws {
        let test = TestPipeline()
        test.transport.serve(url, Sample.png(8, 8))
        let resize = ImageOption.processor(.resize(to: .pixels(70_000, 10), mode: .stretch))
        _ = try await test.pipeline.response(for: url, options: [resize, .waitForCache])
        for isLoad in [true, false] {
            await test.settle()
            test.pipeline.cache.removeAllFromMemory()
            if isLoad {
                #expect(try await test.pipeline.response(for: url, options: [resize, .onlyFromCache]).source == .disk)
            } else {
                let entry = try await test.pipeline.cache.entry(for: ImageRequest(url, options: [resize]))
                #expect(entry?.image.size == PixelSize(70_000, 10))
            }
        }
    }

    @Test("stays where there is no memory for its pixels at the moment")
    func memory() async throws {
        let isFailing = Lock(false)
        let decoders = ImageCodecs.standard.decoders.map { FailingDecoder(base: $0, isFailing: isFailing) }
        let test = TestPipeline(codecs: ImageCodecs(decoders: decoders, encoders: ImageCodecs.standard.encoders))
        let crop = ImageOption.processor(.crop(to: .pixels(9, 9)))
        test.transport.serve(url, Sample.png())
        _ = try await test.pipeline.response(for: url, options: [crop, .waitForCache])
        test.pipeline.cache.removeAllFromMemory()
        isFailing.withLock { $0 = true }
        await #expect(throws: ImageError.self) {
            try await test.pipeline.response(for: url, options: [crop, .onlyFromCache])
        }
        isFailing.withLock { $0 = false }
        #expect(try await test.pipeline.response(for: url, options: [crop, .onlyFromCache]).source == .disk)
    }

    @Test("is removed by a newer one that cannot be encoded", arguments: [false, true])
    func notEncoded(isStored: Bool) async throws {
        let test = TestPipeline()
        let crop = ImageOption.processor(.crop(to: .pixels(9, 9), anchor: .topLeft))
        let isFailing = Lock(false)
        let serializer = ImageOption.serializer(
            TestSerializer("failing") { image, _, context in
                // One pixel has more than one byte in any format.
                let limit = isFailing.withLock { $0 } ? 1 : nil
                let options = EncodeOptions(maximumByteCount: limit)
                return try context.codecs.encode(image.bitmap, as: .png, options: options)
            }
        )
        let options = [crop, serializer, .forceRefresh, .waitForCache]
        test.transport.serve(url, Sample.png(seed: 1))
        _ = try await test.pipeline.response(for: url, options: options)
        test.transport.serve(url, Sample.png(seed: 2))
        isFailing.withLock { $0 = true }
        let newer = try await test.pipeline.response(for: url, options: options)
        #expect(newer.image.owner == 2)
        if isStored {
            isFailing.withLock { $0 = false }
            _ = try await test.pipeline.response(for: url, options: options)
            isFailing.withLock { $0 = true }
            let request = ImageRequest(url, options: [crop, serializer])
            let error = await #expect(throws: ImageError.self) {
                try await test.pipeline.cache.store(newer.image, for: request)
            }
            #expect(error?.stage == .encode && error?.code == "tooManyBytes")
        }
        #expect(try await test.pipeline.cache.diskStatistics().count == 0)
        test.pipeline.cache.removeAllFromMemory()
        #expect(try await test.pipeline.response(for: url, options: [crop, serializer]).image.owner == 2)
    }

    @Test("of a store that is cancelled leaves no older one behind")
    func cancelledStore() async throws {
        let held = HeldCall()
        let codecs = ImageCodecs.observed { call, _ in if call == .encode { held.pass() } }
        let test = TestPipeline()
        let cache = test.pipeline.cache
        let request = ImageRequest(url, options: [.processor(.crop(to: .pixels(9, 9)))])
        let image = try ImageCodecs.standard.decode(Sample.png())
        #expect(try await cache.store(image, for: request))
        held.arm()
        let newer = Task { try await cache.store(image, for: request, codecs: codecs) }
        await held.waitUntilReached()
        newer.cancel()
        held.release()
        await #expect(throws: CancellationError.self) { try await newer.value }
        #expect(await cache.tiers(with: request) == .memory)
    }

    @Test("that cannot be encoded is reported once, as what it is, whatever its size")
    func faults() async throws {
        let test = TestPipeline()
        let tooFew = ImageOption.serializer(.format(.png, EncodeOptions(maximumByteCount: 1)))
        test.transport.serve(url, Sample.png())
        for side in 8...12 {
            let crop = ImageOption.processor(.crop(to: .pixels(side, side)))
            _ = try await test.pipeline.response(for: url, options: [crop, tooFew, .waitForCache])
        }
        let faults = test.faults.withLock { $0 }
        #expect(faults.map(\.stage) == [.encode])
        #expect(faults.map(\.code) == ["tooManyBytes"])
    }

    @Test("that took long to make replaces the one of another size where the options say so", arguments: [false, true])
    func costly(isSlow: Bool) async throws {
        let test = TestPipeline()
        test.transport.serve(url, Sample.png(64, 64))
        for side in [8, 16, 12] {
            let options = options(side: side, isSlow: Lock(isSlow))
            test.pipeline.cache.removeAllFromMemory()
            let made = try await test.pipeline.response(for: url, options: options)
            #expect(made.image.size == PixelSize(side, side))
            let keys = try await test.pipeline.cache.disk.perform { try $0.entries().map(\.key) }
            #expect(keys.count { ParsedDiskKey($0).isProcessed } == (isSlow ? 1 : 0))
            #expect(keys.count { !ParsedDiskKey($0).isProcessed } == 1)
            // Found again as what it is, and where it was not stored, made again of the original.
            await test.settle()
            test.pipeline.cache.removeAllFromMemory()
            let found = try await test.pipeline.response(for: url, options: options)
            #expect(found.image.size == PixelSize(side, side))
            #expect((found.timings.process == nil) == isSlow)
        }
        #expect(test.transport.startedCount == 1)
    }

    @Test("that took no time to make leaves none of an older image behind")
    func cheapAfterRefresh() async throws {
        let test = TestPipeline()
        let isSlow = Lock(true)
        let options = options(side: 8, isSlow: isSlow) + [.forceRefresh]
        test.transport.serve(url, Sample.png(64, 64, seed: 1))
        _ = try await test.pipeline.response(for: url, options: options)
        isSlow.withLock { $0 = false }
        test.transport.serve(url, Sample.png(64, 64, seed: 2))
        _ = try await test.pipeline.response(for: url, options: options)
        await test.pipeline.cache.flush()
        let keys = try await test.pipeline.cache.disk.perform { try $0.entries().map(\.key) }
        #expect(keys.count { ParsedDiskKey($0).isProcessed } == 0)
    }

    private func options(side: Int, isSlow: Lock<Bool>) -> [ImageOption] {
        [
            .targetSize(.pixels(width: side, height: side)),
            .processor(ImageProcessorChain(SpinningProcessor(isSlow: isSlow))),
            .storedResults(.costly), .cacheOriginalImage, .waitForCache,
        ]
    }
}

/// A decoder that fails for lack of memory from time to time.
private struct FailingDecoder: ImageDecoder {
    let base: any ImageDecoder
    let isFailing: Lock<Bool>

    var format: ImageFormat { base.format }

    func recognizes(_ prefix: Data) -> Bool { base.recognizes(prefix) }

    func info(of data: Data, limits: DecodeLimits) throws(CodecError) -> ImageInfo {
        try base.info(of: data, limits: limits)
    }

    func decode(_ data: Data, options: DecodeOptions, isCancelled: @Sendable () -> Bool) throws -> DecodedImage {
        if isFailing.withLock({ $0 }) { throw CodecError.bitmap(.outOfMemory(byteCount: 1)) }
        return try base.decode(data, options: options, isCancelled: isCancelled)
    }
}

/// Changes nothing, and takes 10 ms of the processor while it is slow.
private struct SpinningProcessor: ImageProcessing {
    let isSlow: Lock<Bool>

    func encodeParameters(into encoder: inout CacheKeyEncoder) {}

    func process(_ image: DecodedImage, isCancelled: @Sendable () -> Bool) throws -> DecodedImage {
        guard isSlow.withLock({ $0 }) else { return image }
        var time = Duration.zero
        while time < .milliseconds(10) { time += Timed { (0..<1_000).reduce(0, &+) }.processorTime }
        return image
    }

    static func == (left: SpinningProcessor, right: SpinningProcessor) -> Bool { true }

    func hash(into hasher: inout Hasher) {}
}
