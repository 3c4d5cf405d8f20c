import FoundationEssentials
import HTTPTypes
import HalcyonSystem
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("The caches of an image whose server says how long it is good")
struct CachePlacementTests {
    private let fixture = ServerCachingFixture()
    private let one = Sample.png(seed: 1)
    private let two = Sample.png(seed: 2)
    private let crop = ImageOption.processor(.crop(to: .pixels(8, 8)))

    private func cache(tiers: [any CacheTier] = [], pages: Int? = nil, faults: Lock<Int> = Lock(0)) -> ImageCache {
        var disk = DiskCache.Configuration(folder: fixture.test.folder + "/" + UUID().uuidString)
        disk.clock = fixture.clock.clock
        disk.indexPageLimit = pages
        return ImageCache(disk: disk, tiers: tiers, memoryPressure: nil) { _ in faults.withLock { $0 += 1 } }
    }

    @Test(
        "have the original of a processed image in that of originals alone, where one is named",
        arguments: [false, true],
        [false, true]
    )
    func originalOfResult(isStale: Bool, keepsOriginal: Bool) async throws {
        let (target, original) = (cache(), cache())
        var options: [ImageOption] = [.targetCache(target), .originalCache(original), crop, .waitForCache]
        if keepsOriginal { options.append(.cacheOriginalImage) }
        fixture.serve(one, [.cacheControl: "max-age=60", .eTag: "\"a\""])
        _ = try await fixture.load([.targetCache(target), .waitForCache])
        if isStale { fixture.clock.advance(by: 100) }
        // The server sends it once more, whole, as it is asked without a validator.
        #expect(try await fixture.load(options).source == .network)
        #expect(fixture.requestCount == 2 && fixture.lastRequest?.headers[.ifNoneMatch] == nil)
        #expect(try await original.storedImages().map(\.isProcessed) == (keepsOriginal ? [false] : []))
        #expect(try await target.storedImages().filter(\.isProcessed).count == 1)
    }

    @Test("keep a confirmed original in the cache of originals if that has it")
    func confirmationInOriginalCache() async throws {
        let (target, original) = (cache(), cache())
        let options: [ImageOption] = [
            .targetCache(target), .originalCache(original), .cacheOriginalImage, crop, .waitForCache,
        ]
        fixture.serve(one, [.cacheControl: "max-age=60", .eTag: "\"a\""])
        _ = try await fixture.load(options)
        fixture.clock.advance(by: 100)
        fixture.serve(Data(), [.cacheControl: "max-age=600"], status: 304)
        #expect(try await fixture.load(options).source == .disk)
        fixture.clock.advance(by: 500)
        let other: [ImageOption] = options + [.processor(.crop(to: .pixels(4, 4)))]
        #expect(try await fixture.load(other).source == .disk)
        #expect(fixture.requestCount == 2)
        #expect(try await target.storedImages().allSatisfy(\.isProcessed))
        #expect(try await original.storedImages().map(\.isProcessed) == [false])
    }

    @Test("replace an older original in a cache of its own when a processed image is loaded anew")
    func refreshOfResult() async throws {
        let (target, original) = (cache(), cache())
        let options: [ImageOption] = [.targetCache(target), .originalCache(original), crop, .waitForCache]
        fixture.serve(one, [.cacheControl: "max-age=600"])
        _ = try await fixture.load(options + [.cacheOriginalImage])
        fixture.serve(two, [.cacheControl: "max-age=600"])
        _ = try await fixture.load(options + [.forceRefresh])
        #expect(await original.storedData(for: ImageRequest(fixture.url)) == two)
        let other: [ImageOption] = options + [.processor(.crop(to: .pixels(4, 4)))]
        #expect(try await fixture.load(other).source == .disk)
        #expect(fixture.requestCount == 2)
    }

    @Test("lose an image that its server does not have any more, and its original in a cache of its own")
    func absence() async throws {
        let (target, original) = (cache(), cache())
        let options: [ImageOption] = [.targetCache(target), .originalCache(original), crop, .cacheOriginalImage]
        fixture.serve(one, [.cacheControl: "max-age=600"])
        _ = try await fixture.load(options + [.waitForCache])
        for cache in [target, original] { #expect(try await cache.diskStatistics().count == 1) }
        fixture.serve(Data("no".utf8), [:], status: 404)
        #expect(try await fixture.failure(options + [.revalidate]).reason == .status(404))
        for cache in [target, original] { #expect(try await cache.diskStatistics().count == 0) }
        #expect(target.memoryStatistics.count == 0)
    }

    @Test("replace an original that a processed load found to be old")
    func replacement() async throws {
        fixture.serve(one, [.cacheControl: "max-age=60"])
        let first = try await fixture.load([.waitForCache])
        fixture.clock.advance(by: 100)
        fixture.serve(two, [.cacheControl: "max-age=60"])
        _ = try await fixture.load([crop, .waitForCache])
        let second = try await fixture.load([.onlyFromCache])
        #expect(second.source == .disk)
        #expect(!second.image.bitmap.hasSamePixels(as: first.image.bitmap))
        #expect(fixture.requestCount == 2)
    }

    @Test("answer with bundled images, with or without a network, unless the server is to be asked")
    func bundles() async throws {
        let folder = fixture.test.folder + "/bundle"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let name = try #require(BundledImages.lastPathComponent(of: fixture.url.absoluteString))
        try one.write(to: URL(fileURLWithPath: folder + "/" + name))
        let cache = cache(tiers: [BundledImages.files(in: folder)])
        let bundled = ImageOption.targetCache(cache)
        fixture.fail()
        for options: [ImageOption] in [[bundled, .onlyFromCache], [bundled], [bundled, crop]] {
            cache.removeAllFromMemory()
            #expect(try await fixture.load(options).source == .disk)
        }
        #expect(fixture.requestCount == 0)
        // The server is asked on request; if it fails, the bundled image is still used.
        #expect(try await fixture.load([bundled, .revalidate]).source == .disk)
        #expect(fixture.requestCount == 1)
        fixture.serve(two, [.cacheControl: "max-age=60"])
        let new = try await fixture.load([bundled, .revalidate, .waitForCache])
        #expect(new.source == .network)
        // A stored image takes precedence over a bundled one.
        cache.removeAllFromMemory()
        #expect(try await fixture.load([bundled]).image.bitmap.hasSamePixels(as: new.image.bitmap))
    }

    @Test(
        "do not answer with what came with the program where the image is another one",
        arguments: [
            [.hooks(TestHooks.body("other") { _, _ in Sample.png(seed: 9) })],
            [.cacheScope("one")], [.headers([.authorization: "Bearer one"])],
        ] as [[ImageOption]]
    )
    func bundlesOfOthers(options: [ImageOption]) async throws {
        let folder = fixture.test.folder + "/bundle"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let name = try #require(BundledImages.lastPathComponent(of: fixture.url.absoluteString))
        try one.write(to: URL(fileURLWithPath: folder + "/" + name))
        let cache = cache(tiers: [BundledImages.files(in: folder)])
        fixture.serve(Sample.png(seed: 9), [.cacheControl: "max-age=60"])
        let response = try await fixture.load(options + [.targetCache(cache)])
        #expect(response.source == .network)
        #expect(response.image.owner == 9)
        cache.removeAllFromMemory()
        #expect(try await cache.entry(for: ImageRequest(fixture.url, options: options))?.image.owner == 9)
    }

    @Test("lose all representations with the beginning of their address")
    func prefix() async throws {
        for (number, language) in ["en", "de", "fr"].enumerated() {
            fixture.serve(Sample.png(seed: number), [.cacheControl: "max-age=60", .vary: "Accept-Language"])
            _ = try await fixture.load([crop, .cacheOriginalImage], headers: [.acceptLanguage: language])
        }
        let cache = fixture.test.pipeline.cache
        #expect(try await cache.removeAll(originalsBeginningWith: "https://images.example/") == 4)
        #expect(try await cache.diskStatistics().count == 0)
        #expect(cache.memoryStatistics.count == 0)
    }

    @Test("ask with the validators of an earlier signature, and accept the answer", arguments: [false, true])
    func signatures(isVarying: Bool) async throws {
        let rule = ImageOption.cacheKeyRule(.amazonS3)
        let urls = try (0..<3).map { try #require(URL(string: "\(fixture.url.absoluteString)?X-Amz-Signature=\($0)")) }
        var headers: HTTPFields = [.cacheControl: "max-age=60", .eTag: "\"a\""]
        if isVarying { headers[.vary] = "Accept-Language" }
        fixture.transport.setRoute(urls[0], .init(headers: headers, body: one))
        for url in urls[1...] { fixture.transport.setRoute(url, .init(status: 304, headers: headers)) }
        let pipeline = fixture.test.pipeline
        for (number, url) in urls.enumerated() {
            let source = Source.request(TransferRequest(url: url, headers: [.acceptLanguage: "en"]))
            let response = try await pipeline.response(for: ImageRequest(source, options: [rule, .waitForCache]))
            #expect(response.source == (number == 0 ? .network : .disk))
            await fixture.test.settle()
            fixture.clock.advance(by: 61)
        }
        #expect(fixture.requestCount == 3)
        #expect(fixture.lastRequest?.headers[.ifNoneMatch] == "\"a\"")
        #expect(fixture.lastRequest?.url == urls[2])
        guard isVarying else { return }
        fixture.transport.setRoute(urls[0], .init(headers: headers, body: two))
        let german = Source.request(TransferRequest(url: urls[0], headers: [.acceptLanguage: "de"]))
        #expect(try await pipeline.response(for: ImageRequest(german, options: [rule])).source == .network)
        #expect(fixture.lastRequest?.headers[.ifNoneMatch] == nil)
    }

    @Test("lose the processed results of an image that must not be stored any more")
    func noStore() async throws {
        let options: [ImageOption] = [crop, .cacheOriginalImage, .waitForCache]
        fixture.serve(one, [.cacheControl: "max-age=600"])
        _ = try await fixture.load(options)
        fixture.serve(two, [.cacheControl: "no-store"])
        let second = try await fixture.load(options + [.revalidate])
        #expect(try await fixture.test.pipeline.cache.diskStatistics().count == 0)
        let third = try await fixture.load(options)
        #expect(third.source == .network)
        #expect(third.image.bitmap.hasSamePixels(as: second.image.bitmap))
    }

    @Test(
        "lose what was made of an image that must not be used unasked any more",
        arguments: ["no-cache", "max-age=0"]
    )
    func mustAsk(directive: String) async throws {
        fixture.serve(one, [.cacheControl: "max-age=600"])
        _ = try await fixture.load([crop])
        fixture.serve(two, [.cacheControl: directive])
        let second = try await fixture.load([crop, .revalidate])
        fixture.forgetMemory()
        let third = try await fixture.load([crop])
        #expect(third.source == .network)
        #expect(third.image.bitmap.hasSamePixels(as: second.image.bitmap))
    }

    @Test("that are full fail no confirmation")
    func fullWhileConfirming() async throws {
        let faults = Lock(0)
        let cache = cache(pages: 50, faults: faults)
        let target = ImageOption.targetCache(cache)
        fixture.serve(one, [.cacheControl: "max-age=60", .eTag: "\"a\""])
        let first = try await fixture.load([target, .waitForCache])
        await cache.flush()
        fixture.clock.advance(by: 100)
        // A head for which there is no room.
        let long = String(repeating: "x", count: 200_000)
        fixture.serve(Data(), [.cacheControl: "max-age=60", .eTag: "\"a\"", .contentLanguage: long], status: 304)
        let second = try await fixture.load([target])
        #expect(second.source == .disk)
        #expect(second.image.bitmap.hasSamePixels(as: first.image.bitmap))
        #expect(faults.withLock { $0 } == 1)
        fixture.serve(Data(), [.cacheControl: "max-age=60", .eTag: "\"a\""], status: 304)
        cache.removeAllFromMemory()
        #expect(try await fixture.load([target]).image.bitmap.hasSamePixels(as: first.image.bitmap))
    }

    @Test("on one folder: one confirms while the other reads")
    func twoOnOneFolder() async throws {
        let folder = TestPipeline.temporaryPath()
        let reader = TestPipeline(folder: folder, clock: fixture.clock.clock)
        let writer = TestPipeline(folder: folder, clock: fixture.clock.clock)
        let url = fixture.url
        writer.transport.setRoute(url, .init(headers: [.cacheControl: "max-age=60", .eTag: "\"a\""], body: one))
        _ = try await writer.pipeline.response(for: url, options: [.waitForCache])
        await writer.settle()
        writer.transport.setRoute(url, .init(status: 304, headers: [.cacheControl: "max-age=60"]))
        async let bodies = (0..<100).asyncMap { _ in await reader.pipeline.cache.storedData(for: ImageRequest(url)) }
        for _ in 0..<20 {
            fixture.clock.advance(by: 61)
            #expect(try await writer.pipeline.response(for: url, options: [.waitForCache]).source == .disk)
        }
        #expect(await bodies.allSatisfy { $0 == one })
        await writer.settle()
        // Fresh for the other as well, which sends no request.
        #expect(try await reader.pipeline.response(for: url).source == .disk)
        #expect(reader.transport.startedCount == 0)
        #expect(writer.transport.startedCount == 21)
    }
}

extension Range<Int> {
    fileprivate func asyncMap<Result>(_ transform: @Sendable (Int) async -> Result) async -> [Result] {
        var results: [Result] = []
        for element in self { results.append(await transform(element)) }
        return results
    }
}
