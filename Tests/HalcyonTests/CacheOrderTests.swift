import Dispatch
import FoundationEssentials
import HTTPTypes
import HalcyonSystem
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("The order of sources")
struct CacheOrderTests {
    private let test = TestPipeline()
    private let url = Sample.url()

    init() {
        test.transport.serve(url, Sample.png())
    }

    @Test(
        "is network, then memory, then disk, then network again as caches are cleared",
        arguments: [false, true]
    )
    func sequence(isProcessed: Bool) async throws {
        let options: [ImageOption] = isProcessed ? [.processor(.crop(to: .pixels(20, 10)))] : []
        let first = try await test.pipeline.response(for: url, options: options)
        #expect(first.source == .network)
        #expect(try await test.pipeline.response(for: url, options: options).source == .memory)
        await test.pipeline.cache.flush()
        test.pipeline.cache.removeAllFromMemory()
        let third = try await test.pipeline.response(for: url, options: options)
        #expect(third.source == .disk)
        #expect(third.image.bitmap.hasSamePixels(as: first.image.bitmap))
        #expect(third.byteCount == first.byteCount)
        #expect(third.image.info == first.image.info)
        try await test.pipeline.cache.removeAll()
        #expect(try await test.pipeline.response(for: url, options: options).source == .network)
        #expect(test.transport.startedCount(url) == 2)
        guard isProcessed else { return }
        // The image as it is was kept nowhere.
        #expect(test.pipeline.responseFromMemory(for: url) == nil)
        #expect(try await test.pipeline.response(for: url).source == .network)
        #expect(test.transport.startedCount(url) == 3)
    }

    @Test("finds nothing for another processing of the same URL, unless the original was kept")
    func originals() async throws {
        let crop: ImageOption = .processor(.crop(to: .pixels(20, 10)))
        let other: ImageOption = .processor(.crop(to: .pixels(10, 20)))
        _ = try await test.pipeline.response(for: url, options: [crop])
        await test.settle()
        #expect(try await test.pipeline.response(for: url, options: [other]).source == .network)
        _ = try await test.pipeline.response(for: url, options: [other, .forceRefresh, .cacheOriginalImage])
        await test.settle()
        test.pipeline.cache.removeAllFromMemory()
        let third = try await test.pipeline.response(for: url, options: [.processor(.crop(to: .pixels(5, 5)))])
        #expect(third.source == .disk)
        #expect(test.transport.startedCount(url) == 3)
    }

    @Test("ignores the caches on request, and still stores the result")
    func forceRefresh() async throws {
        _ = try await test.pipeline.response(for: url, options: [.waitForCache])
        #expect(try await test.pipeline.response(for: url, options: [.forceRefresh]).source == .network)
        #expect(test.transport.startedCount(url) == 2)
        #expect(try await test.pipeline.response(for: url).source == .memory)
    }

    @Test("takes memory but not disk on request")
    func memoryOrRefresh() async throws {
        let (cache, options) = (test.pipeline.cache, [.fromMemoryCacheOrRefresh] as [ImageOption])
        _ = try await test.pipeline.response(for: url, options: [.waitForCache])
        #expect(try await test.pipeline.response(for: url, options: options).source == .memory)
        cache.removeAllFromMemory()
        #expect(await cache.tiers(with: ImageRequest(url)) == .disk)
        #expect(try await test.pipeline.response(for: url, options: options).source == .network)
        await test.settle()
        try await cache.removeAllFromDisk()
        #expect(try await test.pipeline.response(for: url, options: options).source == .memory)
        #expect(test.transport.startedCount(url) == 2)
    }

    @Test("ends with an error instead of the network on request")
    func onlyFromCache() async throws {
        let error = await #expect(throws: ImageError.self) {
            try await test.pipeline.response(for: url, options: [.onlyFromCache])
        }
        #expect(error?.reason == .notCached)
        #expect(error?.stage == .cache)
        #expect(error?.source == url.absoluteString)
        #expect(test.transport.startedCount == 0)
        _ = try await test.pipeline.response(for: url, options: [.waitForCache])
        test.pipeline.cache.removeAllFromMemory()
        #expect(try await test.pipeline.response(for: url, options: [.onlyFromCache]).source == .disk)
    }

    @Test("tells of what no cache has in the place that the options name, and sends nothing")
    func onlyFromCacheCallback() async {
        let queue = DispatchQueue(label: "halcyon.test.cache-only")
        let options: [ImageOption] = [.onlyFromCache, .callbackExecutor(.queue(queue))]
        let (label, error) = await withCheckedContinuation { continuation in
            test.pipeline.loadImage(with: url, options: options) { result in
                var failure: ImageError?
                if case .failure(let error as ImageError) = result { failure = error }
                continuation.resume(returning: (currentQueueLabel, failure))
            }
        }
        #expect(label == queue.label)
        #expect(error?.reason == .notCached && error?.source == url.absoluteString)
        #expect(test.transport.startedCount == 0)
    }

    @Test("leaves nothing on disk if only memory may be used, the original included", arguments: [false, true])
    func memoryOnly(waits: Bool) async throws {
        var options: [ImageOption] = [
            .cacheMemoryOnly, .cacheOriginalImage, .processor(.crop(to: .pixels(9, 9))),
        ]
        if waits { options.append(.waitForCache) }
        _ = try await test.pipeline.response(for: url, options: options)
        await test.settle()
        #expect(try await test.pipeline.cache.diskStatistics().count == 0)
        #expect(try await test.pipeline.response(for: url, options: options).source == .memory)
    }

    @Test("neither reads nor writes where no cache is wanted")
    func noCache() async throws {
        _ = try await test.pipeline.response(for: url, options: [.noCache])
        #expect(try await test.pipeline.response(for: url, options: [.noCache]).source == .network)
        await test.settle()
        #expect(try await test.pipeline.cache.diskStatistics().count == 0)
        #expect(test.pipeline.responseFromMemory(for: url, options: []) == nil)
    }

    @Test("has the disk entry when a load that waits for it ends")
    func waitForCache() async throws {
        let response = try await test.pipeline.response(for: url, options: [.waitForCache])
        #expect(response.timings.store != nil)
        let cache = test.pipeline.cache
        #expect(try await cache.diskStatistics().count == 1)
        cache.removeAllFromMemory()
        #expect(await cache.tiers(with: ImageRequest(url)) == .disk)
        // Without the wait, memory has it at once, and the disk in the end.
        let other = ImageRequest(Sample.url())
        test.transport.setAnswer { _ in .init(body: Sample.png()) }
        #expect(try await test.pipeline.response(for: other).timings.store == nil)
        #expect(cache.isInMemory(other))
        await test.settle()
        #expect(await cache.tiers(with: other) == .all)
    }

    @Test("keeps original bytes on disk as they came, and gives them")
    func originalBytes() async throws {
        let response = try await test.pipeline.response(for: url, options: [.waitForCache, .includesOriginalData])
        #expect(response.data == Sample.png())
        #expect(try await firstDifference(test.pipeline.data(for: url), Sample.png()) == nil)
        #expect(test.transport.startedCount(url) == 1)
    }

    @Test("finds an image that was evicted while something still shows it")
    func weakTier() async throws {
        let response = try await test.pipeline.response(for: url)
        test.pipeline.cache.memory.costLimit = 1
        test.pipeline.cache.memory.costLimit = 64 << 20
        let again = test.pipeline.responseFromMemory(for: url, options: [])
        #expect(again?.image.bitmap.hasSamePixels(as: response.image.bitmap) == true)
        #expect(again?.image.info == response.image.info)
    }

    @Test("removes an original together with all that was made of it")
    func remove() async throws {
        _ = try await test.pipeline.response(
            for: url,
            options: [.processor(.crop(to: .pixels(9, 9))), .cacheOriginalImage]
        )
        let other = Sample.url()
        test.transport.serve(other, Sample.png(seed: 9))
        _ = try await test.pipeline.response(for: other)
        await test.settle()
        #expect(try await test.pipeline.cache.remove(for: ImageRequest(url), from: .disk) == 2)
        let left = try await test.pipeline.cache.storedImages()
        #expect(left.map(\.original) == [other.absoluteString])
    }

    @Test("an image in memory is given to an actor without leaving it")
    func staysOnActor() async throws {
        _ = try await test.pipeline.response(for: url)
        #expect(try await CountingActor().entrancesWhileLoading(url, from: test.pipeline) == 0)
    }
}

/// An actor that counts how often it is entered.
private actor CountingActor {
    private let executor = CountingExecutor()

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    func entrancesWhileLoading(_ url: URL, from pipeline: ImagePipeline) async throws -> Int {
        let before = executor.count.withLock { $0 }
        _ = try await pipeline.response(for: url)
        _ = try await pipeline.response(for: url, options: [])
        _ = try await pipeline.image(from: url)
        return executor.count.withLock { $0 } - before
    }
}

private final class CountingExecutor: SerialExecutor {
    let count = Lock(0)
    private let queue = DispatchQueue(label: "halcyon.test.counting")

    func enqueue(_ job: consuming ExecutorJob) {
        count.withLock { $0 += 1 }
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}
