import FoundationEssentials
import HalcyonSystem
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("A request that reads some caches alone")
struct CacheReadTests {
    private let test = TestPipeline()
    private let url = Sample.url()
    private let crop = ImageOption.processor(.crop(to: .pixels(20, 10)))
    private let other = ImageOption.processor(.crop(to: .pixels(5, 5)))

    init() {
        test.transport.serve(url, Sample.png())
    }

    private func load(_ options: ImageOption...) async throws -> ImageResponse {
        let response = try await test.pipeline.response(for: url, options: options)
        await test.settle()
        return response
    }

    @Test("takes the image from disk although memory has it, and stores it in memory", arguments: [false, true])
    func disk(isProcessed: Bool) async throws {
        let processing = isProcessed ? crop : .processor(.identity)
        #expect(try await load(processing, .fromDiskCacheOrRefresh).source == .network)
        #expect(try await load(processing, .fromDiskCacheOrRefresh).source == .disk)
        #expect(test.pipeline.responseFromMemory(for: url, options: [processing, .fromDiskCacheOrRefresh]) == nil)
        test.pipeline.cache.removeAllFromMemory()
        #expect(try await load(processing, .fromDiskCacheOrRefresh).source == .disk)
        #expect(try await load(processing).source == .memory)
        #expect(test.transport.startedCount(url) == 1)
    }

    @Test("of disk loads anew what memory alone has")
    func diskOfMemory() async throws {
        _ = try await load(.cacheMemoryOnly)
        #expect(try await load(.fromDiskCacheOrRefresh).source == .network)
        #expect(test.transport.startedCount(url) == 2)
    }

    @Test("of disk without the network fails with what memory alone has")
    func diskOffline() async throws {
        _ = try await load(.cacheMemoryOnly)
        #expect(await reason { try await load(.fromDiskCacheOrRefresh, .onlyFromCache) } == .notCached)
        #expect(try await load(.onlyFromCache).source == .memory)
    }

    @Test("of disk calls a provider once, and reads a file each time")
    func otherSources() async throws {
        let provider = CountingProvider()
        let request = ImageRequest(.provider(provider), options: [.fromDiskCacheOrRefresh])
        #expect(try await test.pipeline.response(for: request).source == .data)
        await test.settle()
        #expect(try await test.pipeline.response(for: request).source == .disk)
        #expect(provider.count.withLock { $0 } == 1)
        let path = TestPipeline.temporaryPath()
        defer { try? FileManager.default.removeItem(atPath: path) }
        try Sample.png().write(to: URL(filePath: path))
        let file = ImageRequest(.file(path), options: [.fromDiskCacheOrRefresh])
        for _ in 0..<2 { #expect(try await test.pipeline.response(for: file).source == .file) }
        #expect(try await test.pipeline.response(for: ImageRequest(.file(path))).source == .memory)
    }

    @Test("shares its load of the original with one that reads all")
    func sharing() async throws {
        let url = Sample.url()
        let tasks = [test.pipeline.task(for: url), test.pipeline.task(for: url, options: [.fromDiskCacheOrRefresh])]
        let transfer = await test.transport.nextTransfer()
        await eventually { [test] in test.pipeline.stages.decoding.work.waiterCount == 2 }
        transfer.answer(.init(body: Sample.png()))
        for task in tasks { #expect(try await task.response.source == .network) }
        #expect(test.transport.startedCount(url) == 1)
    }

    @Test("makes a processed image of the original on disk, unless that is forbidden")
    func original() async throws {
        _ = try await load(.fromDiskCacheOrRefresh)
        test.pipeline.cache.removeAllFromMemory()
        #expect(try await load(crop).source == .disk)
        #expect(try await load(other, .readsOriginal(false)).source == .network)
        #expect(test.transport.startedCount(url) == 2)
        // The results have places of their own, which may be read.
        test.pipeline.cache.removeAllFromMemory()
        #expect(try await load(crop, .readsOriginal(false)).source == .disk)
        #expect(try await load(other, .readsOriginal(false)).source == .disk)
        #expect(await reason { try await load(other, .readsOriginal(false), .frame(1), .onlyFromCache) } == .notCached)
    }

    @Test("takes an unprocessed image from disk although originals must not be read for others")
    func unprocessed() async throws {
        _ = try await load()
        test.pipeline.cache.removeAllFromMemory()
        #expect(try await load(.readsOriginal(false)).source == .disk)
    }

    @Test("replaces the original on disk that it did not read")
    func replaced() async throws {
        test.transport.serve(url, Sample.png(seed: 1))
        _ = try await load()
        test.transport.serve(url, Sample.png(seed: 2))
        #expect(try await load(crop, .readsOriginal(false)).source == .network)
        let data = try #require(await test.pipeline.cache.storedData(for: ImageRequest(url)))
        #expect(firstDifference(data, Sample.png(seed: 2)) == nil)
    }

    @Test("does not call a provider whose original is on disk, unless that original must not be read")
    func providerOriginal() async throws {
        let provider = CountingProvider()
        func load(_ options: ImageOption...) async throws -> ImageResponse.Source {
            let request = ImageRequest(.provider(provider), options: options)
            let response = try await test.pipeline.response(for: request)
            await test.settle()
            return response.source
        }
        #expect(try await load() == .data)
        test.pipeline.cache.removeAllFromMemory()
        #expect(try await load(crop) == .disk)
        #expect(try await load(other, .readsOriginal(false)) == .data)
        #expect(provider.count.withLock { $0 } == 2)
    }

    @Test("asked of the cache itself looks into the parts that it names")
    func cache() async throws {
        _ = try await load()
        let cache = test.pipeline.cache
        #expect(try await cache.entry(for: ImageRequest(url, options: [.fromDiskCacheOrRefresh]))?.tier == .disk)
        #expect(try await cache.entry(for: ImageRequest(url))?.tier == .memory)
        #expect(try await cache.entry(for: ImageRequest(url, options: [.forceRefresh])) == nil)
    }

    @Test("of none uses the network although it is forbidden, and stores the result")
    func refreshGoesFirst() async throws {
        #expect(try await load(.forceRefresh, .onlyFromCache).source == .network)
        #expect(try await load(.onlyFromCache).source == .memory)
        #expect(try await load(crop, .onlyFromCache, .forceRefresh, .readsOriginal(false)).source == .network)
        #expect(test.transport.startedCount(url) == 2)
        // Requests that no HTTP cache answers take the same way.
        let post = Source.url(Sample.url(), cacheKey: "posted")
        guard case .network(let transfer) = post.location else { return }
        test.transport.serve(transfer.url, Sample.png())
        let request = ImageRequest(post, options: [.method(.post), .forceRefresh, .onlyFromCache])
        #expect(try await test.pipeline.response(for: request).source == .network)
    }
}

/// A provider of one image that counts its calls.
struct CountingProvider: ImageDataProvider {
    let count = Lock(0)
    let cacheKey = UUID().uuidString

    func data() async throws -> Data {
        count.withLock { $0 += 1 }
        return Sample.png()
    }
}
