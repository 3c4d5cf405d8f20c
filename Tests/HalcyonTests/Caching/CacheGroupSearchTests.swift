import FoundationEssentials
import HTTPTypes
import HalcyonTesting
import Testing

@testable import Halcyon

@Suite("A search on the disks of a group of caches")
struct CacheGroupSearchTests {
    private let crop = ImageOption.processor(.crop(to: PixelSize(9, 9)))

    @Test("answers from the disk of each cache before an image that came with the program")
    func bundles() async throws {
        let fixture = CacheGroupFixture()
        let folder = TestPipeline.temporaryPath()
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let name = try #require(BundledImages.lastPathComponent(of: fixture.url.absoluteString))
        try Sample.png(seed: 1).write(to: URL(filePath: folder + "/" + name))
        var disk = DiskCache.Configuration(folder: folder + "/cache")
        disk.clock = fixture.clock.clock
        let bundled = ImageCache(disk: disk, bundles: [.files(in: folder)], memoryPressure: nil)
        let group = ImageCacheGroup(bundled, [fixture.low])
        let provided = Source.closure(cacheKey: fixture.url.absoluteString) { Sample.png(seed: 3) }
        let options: ImageOptions = [.targetCache(group), .onlyFromCache]
        let requests = [.url(fixture.url), provided].map { ImageRequest($0, options: options) }
        #expect(try await fixture.low.store(Sample.png(seed: 2), for: requests[0]))
        for owner in [2, 1] {
            for request in requests {
                group.removeAllFromMemory()
                #expect(try await group.entry(for: request)?.image.owner == owner)
                group.removeAllFromMemory()
                #expect(try await fixture.pipeline.response(for: request).image.owner == owner)
                await fixture.settle()
            }
            try await fixture.low.removeAll()
        }
    }

    @Test("goes on with the next cache where an entry turns out to be damaged", arguments: [false, true])
    func damaged(isProcessed: Bool) async throws {
        let fixture = CacheGroupFixture()
        let request = ImageRequest(fixture.url)
        #expect(try await fixture.high.store(Data(Sample.png(seed: 1).prefix(45)), for: request))
        #expect(try await fixture.low.store(Sample.png(seed: 2), for: request))
        let options = (isProcessed ? [crop] : []) + [ImageOption.onlyFromCache]
        let response = try await fixture.load(options)
        #expect(response.source == .disk && response.image.size == (isProcessed ? PixelSize(9, 9) : PixelSize(64, 48)))
        #expect(await fixture.high.storedData(for: request) == nil)
        #expect(await fixture.group.storedData(for: request) == Sample.png(seed: 2))
        #expect(fixture.transport.startedCount == 0)
    }

    @Test("goes on after a damaged or empty entry where it blocks its thread", arguments: [false, true], [45, 0])
    func damagedForThread(isProcessed: Bool, byteCount: Int) async throws {
        let fixture = CacheGroupFixture()
        let request = ImageRequest(fixture.url)
        #expect(try await fixture.high.store(Data(Sample.png(seed: 1).prefix(byteCount)), for: request))
        #expect(try await fixture.low.store(Sample.png(seed: 2), for: request))
        let (pipeline, url) = (fixture.pipeline, fixture.url)
        let options = ImageOptions(isProcessed ? [crop] : [])
        let response = try await onThread { pipeline.responseFromCache(for: url, options: options) }
        #expect(response?.source == .disk)
        #expect(response?.image.size == (isProcessed ? PixelSize(9, 9) : PixelSize(64, 48)))
        await fixture.settle()
        #expect(await fixture.high.storedData(for: request) == nil)
        #expect(fixture.transport.startedCount == 0)
    }

    @Test("is not ended by a stale image in memory where a lower cache has a fresh one", arguments: [false, true])
    func staleInMemory(isProcessed: Bool) async throws {
        let options = isProcessed ? [crop] : []
        for promotes in [false, true] {
            let fixture = CacheGroupFixture(promotes: promotes)
            fixture.serve(Sample.png(seed: 1), [.cacheControl: "max-age=60"])
            let older = try await fixture.load(options + [.targetCache(fixture.high)])
            fixture.clock.advance(by: 100)
            fixture.serve(Sample.png(seed: 2), [.cacheControl: "max-age=600"])
            let newer = try await fixture.load(options + [.targetCache(fixture.low)])
            #expect(!newer.image.bitmap.hasSamePixels(as: older.image.bitmap))
            let request = ImageRequest(fixture.url, options: ImageOptions(options))
            let found = try #require(fixture.pipeline.responseFromMemory(for: request))
            #expect(found.image.bitmap.hasSamePixels(as: newer.image.bitmap))
            #expect(try await fixture.load(options).source == .memory)
            let high = try #require(fixture.high.entryInMemory(for: request))
            #expect(high.image.bitmap.hasSamePixels(as: (promotes ? newer : older).image.bitmap))
            #expect(fixture.transport.startedCount == 2)
        }
    }

    @Test("is not ended by a stale original where a lower cache has a fresh one", arguments: [false, true])
    func staleOnDisk(isProcessed: Bool) async throws {
        let processing = isProcessed ? [crop] : []
        for promotes in [false, true] {
            let fixture = CacheGroupFixture(promotes: promotes)
            fixture.serve(Sample.png(seed: 1), [.cacheControl: "max-age=60"])
            try await fixture.load([.targetCache(fixture.high)])
            fixture.clock.advance(by: 100)
            fixture.serve(Sample.png(seed: 2), [.cacheControl: "max-age=600"])
            try await fixture.load([.targetCache(fixture.low)])
            for options in [[], [ImageOption.onlyFromCache]] {
                fixture.group.removeAllFromMemory()
                let found = try await fixture.load(processing + options)
                #expect(found.source == .disk)
                let chain: ImageProcessorChain = isProcessed ? .crop(to: PixelSize(9, 9)) : .identity
                #expect(found.image.bitmap.hasSamePixels(as: try chain.bitmap(from: Sample.bitmap(seed: 2))))
            }
            let high = await fixture.high.storedData(for: ImageRequest(fixture.url))
            #expect(high == Sample.png(seed: promotes ? 2 : 1))
            #expect(fixture.transport.startedCount == 2)
        }
    }

    @Test("takes the most recent of several stale originals for what it asks the server about")
    func staleValidators() async throws {
        let fixture = CacheGroupFixture()
        for (tag, cache) in [("\"a\"", fixture.high), ("\"b\"", fixture.low)] {
            fixture.serve(Sample.png(), [.cacheControl: "max-age=60", .eTag: tag])
            try await fixture.load([.targetCache(cache)])
            fixture.clock.advance(by: 100)
        }
        fixture.group.removeAllFromMemory()
        fixture.serve(Data(), [.cacheControl: "max-age=600"], status: 304)
        #expect(try await fixture.load().source == .disk)
        #expect(fixture.transport.transfers.last?.request.headers[.ifNoneMatch] == "\"b\"")
    }

    @Test("takes the most recent of several stale results where the server is not there", arguments: [false, true])
    func staleResults(isHigherNewer: Bool) async throws {
        for isDamaged in [false, true] {
            let fixture = CacheGroupFixture()
            let caches = isHigherNewer ? [fixture.low, fixture.high] : [fixture.high, fixture.low]
            for (seed, cache) in zip([1, 2], caches) {
                fixture.serve(Sample.png(seed: seed), [.cacheControl: "max-age=60"])
                try await fixture.load([crop, .targetCache(cache)])
                fixture.clock.advance(by: 100)
            }
            fixture.group.removeAllFromMemory()
            if isDamaged {
                let disk = caches[1].disk.cache
                let listing = try #require(try disk.entries().first)
                let entry = try #require(disk.entry(for: listing.key))
                _ = try disk.store(Data("damaged".utf8), for: listing.key, metadata: entry.metadata)
            }
            let found = try await fixture.load([crop, .onlyFromCache])
            let expected = try ImageProcessorChain.crop(to: PixelSize(9, 9))
                .bitmap(from: Sample.bitmap(seed: isDamaged ? 1 : 2))
            #expect(found.source == .disk && found.image.bitmap.hasSamePixels(as: expected))
            #expect(fixture.transport.startedCount == 2)
        }
    }

    @Test("makes no copy of what it finds on a disk whose stores are behind", arguments: [false, true])
    func slowDisk(isProcessed: Bool) async throws {
        let fixture = CacheGroupFixture(promotes: true)
        let disk = fixture.high.disk
        let options = isProcessed ? [crop] : []
        try await fixture.load(options + [.targetCache(fixture.low)])
        fixture.group.removeAllFromMemory()
        let busy = HeldCall()
        busy.arm()
        async let other: Void = disk.write(priority: .normal) { busy.pass() }
        await busy.waitUntilReached()
        let key = ImageKey(original: OriginalKey(text: "other"), variant: nil)
        let claim = ContentClaim(registrations: ContentRegistrations(for: key, with: [fixture.high]))
        let store = disk.store(
            for: key.originalDiskKey,
            expiration: nil,
            byteCount: 1 << 30,
            admission: fixture.high.admission(of: claim, key),
            content: { (Sample.png(), Data()) }
        )
        #expect(disk.isBehind)
        let request = ImageRequest(fixture.url, options: ImageOptions(options))
        #expect(try await fixture.group.entry(for: request)?.tier == .disk)
        fixture.group.removeAllFromMemory()
        #expect(try await fixture.pipeline.response(for: request).source == .disk)
        busy.release()
        await other
        await store.value
        #expect(try await fixture.counts() == [1, 1, 1, 1])
        #expect(try await fixture.high.storedImages().map(\.original) == ["other"])
    }

    @Test("copies nothing older to a cache once a newer load has ended", arguments: [false, true])
    func olderCopy(isProcessed: Bool) async throws {
        let fixture = CacheGroupFixture(storing: .lowest, promotes: true)
        let (request, newer) = (ImageRequest(fixture.url), Sample.png(seed: 2))
        fixture.serve(Sample.png(seed: 1))
        try await fixture.load()
        fixture.group.removeAllFromMemory()
        // It has found the older original in the lower cache, and not yet copied it.
        fixture.held.arm()
        let early = fixture.pipeline.task(for: fixture.url)
        await fixture.held.waitUntilReached()
        fixture.serve(newer)
        let options: [ImageOption] = [.forceRefresh, .waitForCache] + (isProcessed ? [crop] : [])
        _ = try await fixture.pipeline.response(for: fixture.url, options: ImageOptions(options))
        fixture.held.release()
        #expect(try await early.image.owner == 1)
        await fixture.settle()
        #expect(await fixture.high.storedData(for: request) == nil)
        #expect(fixture.high.entryInMemory(for: request) == nil)
        #expect(await fixture.group.storedData(for: request) == newer)
        #expect(try await fixture.load().image.owner == 2)
    }

    @Test("copies nothing older to a cache that the program has stored something in since it began")
    func storeDuringLookUp() async throws {
        let fixture = CacheGroupFixture(promotes: true)
        let request = ImageRequest(fixture.url)
        let held = HeldCall()
        #expect(try await fixture.low.store(Sample.png(seed: 1), for: request))
        // Found to be no image, so that the look-up goes on to the next cache.
        #expect(try await fixture.high.store(Sample.png().prefix(30), for: request))
        held.arm()
        let codecs = ImageCodecs.observed { _, _ in held.pass() }
        async let found = fixture.group.entry(for: request, codecs: codecs)
        await held.waitUntilReached()
        #expect(try await fixture.high.store(Sample.png(seed: 2), for: request))
        held.release()
        #expect(try await found?.image.owner == 1)
        await fixture.settle()
        #expect(await fixture.high.storedData(for: request) == Sample.png(seed: 2))
        #expect(fixture.high.entryInMemory(for: request) == nil)
    }
}
