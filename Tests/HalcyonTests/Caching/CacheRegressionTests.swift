import Dispatch
import FoundationEssentials
import HTTPTypes
import HalcyonSystem
import HalcyonTesting
import Testing

@testable import Halcyon

/// Regressions known from other libraries.
@Suite("The caches of a pipeline")
struct CacheRegressionTests {
    private let url = Sample.url()
    private let crop = ImageOption.processor(.crop(to: .pixels(9, 9)))

    /// Counts calls and fails none.
    private func counting(_ calls: Set<FaultInjectingFileSystem.Call>) -> FaultInjectingFileSystem {
        FaultInjectingFileSystem(.error(.inputOutput), atCall: .max, of: calls)
    }

    @Test("list no folder before they answer, and have at once what is stored")
    func noListing() async throws {
        let files = counting([.names])
        let test = TestPipeline(fileSystem: files)
        #expect(try await test.pipeline.cache.store(Sample.png(), for: ImageRequest(url)))
        #expect(await test.pipeline.cache.tiers(with: ImageRequest(url)) == .disk)
        #expect(try await test.pipeline.response(for: url).source == .disk)
        #expect(files.callCount == 0)
    }

    @Test("answer from memory without the disk")
    func noDisk() async throws {
        let files = counting(Set(FaultInjectingFileSystem.Call.allCases))
        let test = TestPipeline(fileSystem: files)
        test.transport.serve(url, Sample.png())
        _ = try await test.pipeline.response(for: url, options: [.waitForCache])
        await test.settle()
        let count = files.callCount
        let cache = test.pipeline.cache
        #expect(cache.isInMemory(ImageRequest(url)) && !cache.isInMemory(ImageRequest(Sample.url())))
        #expect(
            cache.entryInMemory(for: ImageRequest(url)) != nil
                && cache.entryInMemory(for: ImageRequest(Sample.url())) == nil
        )
        #expect(test.pipeline.responseFromMemory(for: url)?.source == .memory)
        #expect(test.pipeline.responseFromMemory(for: Sample.url()) == nil)
        #expect(files.callCount == count)
    }

    @Test("ask the system about a file once a look-up at most", arguments: [false, true])
    func oneStatus(isLarge: Bool) async throws {
        let files = counting([.statusOfFile, .statusAtPath, .openForStatus])
        // The clock stands still: from time to time, the cache checks that its folder still exists.
        let test = TestPipeline(fileSystem: files, clock: ManualStoreClock().clock)
        let body = isLarge ? Sample.encoded(Sample.noise(100, 100), .png) : Sample.png()
        try await test.pipeline.cache.store(body, for: ImageRequest(url))
        #expect(await test.pipeline.cache.storedData(for: ImageRequest(url)) == body)
        let count = files.callCount
        #expect(await test.pipeline.cache.storedData(for: ImageRequest(url)) == body)
        #expect(files.callCount - count <= 1)
    }

    @Test("say what went wrong with the disk")
    func causes() async throws {
        let path = TestPipeline.temporaryPath()
        try Data("in the way".utf8).write(to: URL(filePath: path))
        let test = TestPipeline(folder: path)
        let cache = test.pipeline.cache
        for failing: @Sendable () async throws -> Void in [
            { try await cache.store(Sample.png(), for: ImageRequest(self.url)) }, { try await cache.removeExpired() },
            { try await cache.trimDisk(to: 0) }, { _ = try await cache.diskStatistics() },
        ] {
            let error = await #expect(throws: ImageError.self) { try await failing() }
            #expect(error?.stage == .store)
            #expect(error?.message.contains(path) == true)
        }
    }

    @Test("take any address, and give back originals and results under it")
    func addresses() async throws {
        let test = TestPipeline()
        for path in ["a@b/c", "a.b@2x/../c.png?x=.e/f", "%00", "x|>y.jpg", String(repeating: "long/", count: 2_000)] {
            let url = try #require(URL(string: url.absoluteString + "/" + path.replacing("|>", with: "%7C%3E")))
            test.transport.serve(url, Sample.png())
            let options = [crop, .cacheOriginalImage, .waitForCache]
            _ = try await test.pipeline.response(for: url, options: options)
            test.pipeline.cache.removeAllFromMemory()
            #expect(try await test.pipeline.response(for: url, options: options).source == .disk)
            #expect(try await test.pipeline.response(for: url).source == .disk)
            #expect(test.transport.startedCount(url) == 1)
        }
        #expect(try await test.pipeline.cache.verifyDisk(repair: false).isSound)
    }

    @Test("keep a processed GIF as well")
    func processedGIF() async throws {
        let test = TestPipeline()
        test.transport.serve(url, Sample.encoded(Sample.bitmap(), .gif))
        let first = try await test.pipeline.response(for: url, options: [crop, .waitForCache])
        test.pipeline.cache.removeAllFromMemory()
        let second = try await test.pipeline.response(for: url, options: [crop])
        #expect(second.source == .disk)
        #expect(second.timings.process == nil)
        #expect(second.image.bitmap.hasSamePixels(as: first.image.bitmap))
        // From the original, the processor runs again.
        _ = try await test.pipeline.response(for: url, options: [crop, .forceRefresh, .cacheOriginalImage])
        await test.settle()
        test.pipeline.cache.removeAllFromMemory()
        let other = try await test.pipeline.response(for: url, options: [.processor(.crop(to: .pixels(4, 4)))])
        #expect(other.source == .disk)
        #expect(other.timings.process != nil)
    }

    @Test("keep a GIF as it came, not as its first frame")
    func originalGIF() async throws {
        let test = TestPipeline()
        let frames = (0..<8).map { AnimationFrame(bitmap: Sample.bitmap(seed: $0 * 30), duration: 100) }
        let data = try ImageCodecs.standard.encode(frames, as: .gif)
        test.transport.serve(url, data)
        let first = try await test.pipeline.image(from: url, options: [.animation(.firstFrame), .waitForCache])
        #expect(first.animation == nil)
        #expect(await test.pipeline.cache.storedData(for: ImageRequest(url)) == data)
        test.pipeline.cache.removeAllFromMemory()
        let whole = try await test.pipeline.response(for: url)
        #expect(whole.source == .disk && whole.image.animation?.frameCount == 8)
    }

    @Test("count what an image holds in memory once")
    func cost() async throws {
        let test = TestPipeline()
        test.transport.serve(url, Sample.encoded(Sample.bitmap(), .gif))
        let response = try await test.pipeline.response(for: url)
        #expect(test.pipeline.cache.memoryStatistics.cost == response.image.bitmap.byteCount)
        _ = try await test.pipeline.response(for: url, options: [.forceRefresh])
        #expect(test.pipeline.cache.memoryStatistics.cost == response.image.bitmap.byteCount)
    }

    @Test("take new limits at once")
    func liveLimits() async throws {
        let test = TestPipeline()
        for seed in 0..<4 {
            let url = Sample.url()
            test.transport.serve(url, Sample.png(seed: seed))
            _ = try await test.pipeline.response(for: url, options: [.waitForCache])
        }
        await test.settle()
        let cache = test.pipeline.cache
        cache.memoryCountLimit = 1
        #expect(cache.memoryStatistics.count == 1)
        let bytes = try await cache.diskStatistics().bytes
        try await cache.setDiskSizeLimit(bytes / 2)
        #expect(try await cache.diskStatistics().bytes <= bytes / 2)
    }

    @Test("store nothing whose time is over, and are not extended by questions")
    func expiry() async throws {
        let clock = ManualStoreClock()
        let test = TestPipeline(clock: clock.clock)
        let cache = test.pipeline.cache
        #expect(try await !cache.store(Sample.png(), for: ImageRequest(url, options: [.diskCacheExpiration(.expired)])))
        #expect(await cache.tiers(with: ImageRequest(url)) == [])
        #expect(
            try await cache.store(Sample.png(), for: ImageRequest(url, options: [.diskCacheExpiration(.seconds(60))]))
        )
        clock.advance(by: 50)
        #expect(await cache.tiers(with: ImageRequest(url)) == .disk)
        clock.advance(by: 10)
        #expect(await cache.tiers(with: ImageRequest(url)) == [])
        #expect(try await cache.removeExpired() == 1)
    }

    @Test("keep nothing of a load that was cancelled, and cause no other")
    func staleRequest() async throws {
        let folder = TestPipeline.temporaryPath()
        let filled = TestPipeline(folder: folder)
        try await filled.pipeline.cache.store(Sample.png(), for: ImageRequest(url))
        let decoder = GatedDecoder()
        let transport = ScriptedTransport()
        let pipeline = ImagePipeline(
            configuration: .init(
                downloader: ImageDownloader(transport: transport),
                cache: ImageCache(disk: .init(folder: folder), memoryPressure: nil),
                codecs: ImageCodecs(decoders: [decoder], encoders: [])
            )
        )
        let url = url
        let task = Task { try await pipeline.response(for: url) }
        await eventually { decoder.hasBegun.withLock { $0 } }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        decoder.mayEnd.signal()
        await eventually { pipeline.stages.images.count + pipeline.stages.decoding.work.count == 0 }
        #expect(pipeline.cache.memoryStatistics.count == 0)
        #expect(transport.startedCount == 0)
        #expect(try await filled.pipeline.cache.diskStatistics().count == 1)
    }

    @Test("report what left the disk, by the cache keys of the sources")
    func removals() async throws {
        let test = TestPipeline()
        test.transport.serve(url, Sample.png())
        _ = try await test.pipeline.response(for: url, options: [crop, .cacheOriginalImage, .waitForCache])
        await test.settle()
        let cache = test.pipeline.cache
        var removals = cache.diskRemovals.makeAsyncIterator()
        try await cache.remove(for: ImageRequest(url), from: .disk)
        var names: Set<ImageCache.StoredName> = []
        for _ in 0..<2 {
            let removal = try #require(await removals.next())
            #expect(removal.reason == .removed)
            names.insert(removal.key)
        }
        let address = url.absoluteString
        #expect(names == [.init(original: address, isProcessed: true), .init(original: address, isProcessed: false)])
    }

    @Test("hold nothing of a load that is over")
    func release() async throws {
        weak var stages: PipelineStages?
        weak var cache: ImageCache?
        do {
            let test = TestPipeline()
            test.transport.serve(url, Sample.png())
            _ = try await test.pipeline.response(for: url, options: [crop, .waitForCache])
            await test.settle()
            (stages, cache) = (test.pipeline.stages, test.pipeline.cache)
            #expect(stages != nil && cache != nil)
        }
        await eventually { [weak stages, weak cache] in stages == nil && cache == nil }
    }
}

/// A decoder that decodes once a gate is open, even if the caller has been cancelled.
private final class GatedDecoder: ImageDecoder {
    let hasBegun = Lock(false)
    let mayEnd = DispatchSemaphore(value: 0)
    private let base = ImageCodecs.standard.decoders.first { $0.format == .png }

    var format: ImageFormat { .png }

    func recognizes(_ prefix: Data) -> Bool { base?.recognizes(prefix) ?? false }

    func info(of data: Data, limits: DecodeLimits) throws(CodecError) -> ImageInfo {
        guard let base else { throw .empty }
        return try base.info(of: data, limits: limits)
    }

    func decode(_ data: Data, options: DecodeOptions, isCancelled: @Sendable () -> Bool) throws -> DecodedImage {
        guard let base else { throw CodecError.empty }
        hasBegun.withLock { $0 = true }
        mayEnd.wait()
        return try base.decode(data, options: options, isCancelled: { false })
    }
}
