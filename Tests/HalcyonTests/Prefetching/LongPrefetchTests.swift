import FoundationEssentials
import HalcyonSystem
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("Prefetching in constant memory")
struct LongPrefetchTests {
    @Test("holds no more requests of a sequence than it loads, whatever their number")
    func constantMemory() async {
        let test = TestPipeline(codecs: ImageCodecs(decoders: [PlainDecoder()], encoders: []))
        let (objects, bytes) = (LiveObjects(), Data([1]))
        let requests = CountedSequence(count: 20_000) { number in
            ImageRequest(
                .provider(CountedProvider(cacheKey: "\(number)", object: objects.make(), data: bytes)),
                options: [.noCache]
            )
        }
        let events = Lock(0)
        let result = await ImagePrefetcher(
            requests: requests,
            pipeline: test.pipeline,
            maxConcurrentLoads: 5,
            onProgress: { _ in events.withLock { $0 += 1 } }
        ).run()
        #expect(result.counts == PrefetchProgress(completedCount: 20_000, totalCount: 20_000))
        #expect(events.withLock { $0 } == 20_000)
        // Those that are loaded, those whose last task is ending, and those that are told of.
        #expect(objects.highest < 200)
        await test.settle()
        await eventually { objects.count == 0 }
        #expect(test.pipeline.unfinishedWorkCount == 0)
    }

    @Test("brings twenty thousand URLs onto the disk, and holds a few of them at a time")
    func manyURLsToDisk() async throws {
        let test = TestPipeline()
        let (objects, image, base) = (LiveObjects(), Sample.png(2, 2), Sample.url("images/"))
        test.transport.setAnswer { _ in .init(body: image) }
        let requests = CountedSequence(count: 20_000) { number in
            // An option that lives as long as its request, and that nothing on disk depends on.
            let object = objects.make()
            let modifier = ImageModifier { image in withExtendedLifetime(object) { image } }
            return ImageRequest(base.appending(path: "\(number)"), options: [.imageModifier(modifier)])
        }
        let prefetcher = ImagePrefetcher(
            requests: requests,
            pipeline: test.pipeline,
            destination: .disk,
            maxConcurrentLoads: 8,
            onProgress: { _ in }
        )
        // A reader that never reads loses the oldest events, and the requests with them.
        let unread = prefetcher.events(bufferingAtMost: 10)
        let result = await prefetcher.run()
        #expect(result == PrefetchResult(counts: PrefetchProgress(completedCount: 20_000, totalCount: 20_000)))
        // Those that are loaded, and at most 64 events that wait to be delivered: not the 4,096 among which equal
        // requests are found, of which the part that counts for that is kept.
        #expect(objects.highest < 200)
        await test.settle()
        withExtendedLifetime(unread) {}
        #expect(try await test.pipeline.cache.diskStatistics().count == 20_000)
    }

    @Test("finds equal requests among the last 4,096, and forgets the others")
    func window() async throws {
        let base = Sample.url("images/")
        let count = PrefetchSequence.windowSize
        // All of the window once more, then one that has left it.
        let numbers = Array(0..<20_000) + Array((20_000 - count)..<20_000) + [0]
        let requests = numbers.map { ImageRequest(base.appending(path: "\($0)")) }
        let sequence = PrefetchSequence(requests, in: TestPipeline().pipeline) { $0 }
        var (items, duplicates, highest) = (0, 0, 0)
        reading: while true {
            switch try await sequence.next() {
            case .item: items += 1
            case .duplicate: duplicates += 1
            case .end: break reading
            }
            highest = max(highest, sequence.rememberedCount)
        }
        #expect([items, duplicates, highest] == [20_001, count, count])
    }

    @Test("takes no task for ten thousand prefetchers before they are started, and all of them end at once")
    func manyPrefetchers() async {
        let test = TestPipeline()
        test.transport.setAnswer { _ in .init(body: Sample.png(2, 2)) }
        let url = Sample.url()
        _ = try? await test.pipeline.response(for: url)
        let prefetchers = (0..<10_000).map { _ in
            ImagePrefetcher(urls: CountedSequence(count: 2) { _ in url }, pipeline: test.pipeline)
        }
        #expect(prefetchers.allSatisfy { $0.taskCount == 0 })
        for prefetcher in prefetchers { prefetcher.start() }
        for prefetcher in prefetchers { #expect(await prefetcher.run().counts.skippedCount == 1) }
        #expect(prefetchers.allSatisfy { $0.taskCount == 0 })
    }
}

/// Decodes any bytes to one pixel.
private struct PlainDecoder: ImageDecoder {
    var format: ImageFormat { .png }

    func recognizes(_ prefix: Data) -> Bool { true }

    func info(of data: Data, limits: DecodeLimits) throws(CodecError) -> ImageInfo {
        ImageInfo(format: .png, size: PixelSize(1, 1))
    }

    func decode(_ data: Data, options: DecodeOptions, isCancelled: @Sendable () -> Bool) throws -> DecodedImage {
        DecodedImage(bitmap: try Bitmap(size: PixelSize(1, 1)), info: try info(of: data, limits: .standard))
    }
}
