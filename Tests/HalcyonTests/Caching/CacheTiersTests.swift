import FoundationEssentials
import HTTPTypes
import HalcyonSystem
import HalcyonTesting
import Testing

@testable import Halcyon
@testable import HalcyonStore

@Suite("The tiers of a cache")
struct CacheTiersTests {
    private let url = Sample.url()
    private let tier = ScriptedTier()

    private var key: CacheKey { CacheKey(name: url.absoluteString) }

    private func entry(seed: Int) -> TierEntry {
        let body = Sample.png(seed: seed)
        return TierEntry(body: body, digest: ContentDigest(of: body).value)
    }

    private func owner(_ test: TestPipeline, _ options: [ImageOption] = []) async throws -> Int {
        try await test.pipeline.response(for: url, options: options).image.owner
    }

    @Test("are asked in their order, and only as far as the first that has the image")
    func order() async throws {
        let (second, third) = (ScriptedTier(), ScriptedTier(isReadOnly: true))
        let test = TestPipeline(tiers: [tier, second, third])
        second.put(entry(seed: 2), for: key)
        third.put(entry(seed: 3), for: key)
        let response = try await test.pipeline.response(for: url)
        #expect(response.source == .disk && response.image.owner == 2)
        #expect(tier.calls.count == 1 && second.calls.count == 1 && third.calls.isEmpty)
        test.pipeline.cache.removeAllFromMemory()
        #expect(try await test.pipeline.cache.entry(for: ImageRequest(url))?.image.owner == 2)
        test.pipeline.cache.removeAllFromMemory()
        #expect(await test.pipeline.cache.storedData(for: ImageRequest(url)) == Sample.png(seed: 2))
        #expect(test.transport.startedCount == 0)
    }

    /// The reason why a hit, or a tier, is of no use.
    enum Fault: CaseIterable {
        case unavailable, damaged, unreadable, expired
    }

    @Test("are asked further where the first that has the image is of no use", arguments: Fault.allCases)
    func uselessHit(fault: Fault) async throws {
        // A tier whose clock is slow takes everything for valid.
        let first = ScriptedTier(clock: StoreClock(monotonic: { 0 }, now: { .distantPast }))
        var useless = entry(seed: 1)
        switch fault {
        case .unavailable: first.unavailable = [.entry]
        case .damaged: useless.body[useless.body.count - 1] ^= 1
        case .unreadable: useless.metadata = Data("no head".utf8)
        case .expired: useless.expiration = .date(Date(timeIntervalSince1970: 1))
        }
        first.put(useless, for: key)
        tier.put(entry(seed: 2), for: key)
        let test = TestPipeline(tiers: [first, tier])
        #expect(try await owner(test, [.onlyFromCache]) == 2)
    }

    @Test("are asked further where a body is no image, until all have been asked", arguments: [false, true])
    func undecodableBodies(remain: Bool) async throws {
        let (second, third) = (ScriptedTier(), ScriptedTier(isReadOnly: true))
        let nonsense = Data("no image".utf8)
        for tier in [tier, second] {
            tier.put(TierEntry(body: nonsense, digest: ContentDigest(of: nonsense).value), for: key)
            if remain { tier.unavailable = [.remove] }
        }
        third.put(entry(seed: 3), for: key)
        let test = TestPipeline(tiers: [tier, second, third])
        #expect(try await owner(test, [.onlyFromCache]) == 3)
        #expect(tier.keys.isEmpty != remain && second.keys.isEmpty != remain)
    }

    @Test("below the disk have the image whose file on disk is damaged")
    func damagedFile() async throws {
        let test = TestPipeline(tiers: [tier])
        let cache = test.pipeline.cache
        // Large enough to be a file of its own.
        test.transport.serve(url, Sample.encoded(Sample.noise(100, 100), .png))
        _ = try await test.pipeline.response(for: url)
        await test.settle()
        let path = try #require(try await cache.fileLocation(for: ImageRequest(url)))
        var file = try Data(contentsOf: URL(filePath: path))
        file[file.count / 2] ^= 1
        try file.write(to: URL(filePath: path))
        cache.removeAllFromMemory()
        let response = try await test.pipeline.response(for: url, options: [.onlyFromCache])
        #expect(response.image.bitmap.hasSamePixels(as: Sample.noise(100, 100)))
    }

    @Test(
        "are asked further where no server may be asked about the first that has the image",
        arguments: [false, true]
    )
    func staleHit(mustRevalidate: Bool) async throws {
        let clock = ManualStoreClock()
        let tier = ScriptedTier(clock: clock.clock)
        let test = TestPipeline(tiers: [tier], clock: clock.clock)
        let control = mustRevalidate ? "max-age=60, must-revalidate" : "no-cache"
        test.transport.setRoute(url, .init(headers: [.cacheControl: control], body: Sample.png(seed: 1)))
        #expect(try await owner(test) == 1)
        await test.settle()
        clock.advance(by: 100)
        test.pipeline.cache.removeAllFromMemory()
        await #expect(throws: ImageError.self) { try await owner(test, [.onlyFromCache]) }
        tier.put(entry(seed: 2), for: key)
        // Another load may have seen the first in the order of content.
        await eventually { test.pipeline.cache.order.recordCount == 0 }
        #expect(try await owner(test, [.onlyFromCache]) == 2)
    }

    @Test("below the disk are stored in the background, with digest and priority, and waited for by a flush")
    func background() async throws {
        let gate = tier.hold(.store)
        let test = TestPipeline(tiers: [tier])
        test.transport.serve(url, Sample.png(seed: 1))
        let crop = ImageOption.processor(.crop(to: .pixels(9, 9), anchor: .topLeft))
        _ = try await test.pipeline.response(
            for: url,
            options: [crop, .cacheOriginalImage, .waitForCache, .priority(.high)]
        )
        #expect(try await test.pipeline.cache.diskStatistics().count == 2)
        #expect(tier.keys.isEmpty)
        let isFlushed = Lock(false)
        let flush = Task {
            await test.pipeline.cache.flush()
            isFlushed.withLock { $0 = true }
        }
        await eventually { [tier] in tier.calls.contains { $0.function == .store } }
        #expect(!isFlushed.withLock { $0 })
        gate.open()
        await flush.value
        #expect(tier.keys.count == 2 && tier.keys.contains(key))
        let digest = ContentDigest(of: Sample.png(seed: 1)).value
        for key in tier.keys { #expect(tier.present(key)?.digest == digest) }
        #expect(tier.calls.filter { $0.function == .entry }.allSatisfy { $0.priority == .high })
    }

    @Test("below the disk keep nothing that was being stored when it was removed")
    func removalDuringStore() async throws {
        let gate = tier.hold(.store)
        let test = TestPipeline(tiers: [tier])
        let cache = test.pipeline.cache
        #expect(try await cache.store(Sample.png(), for: ImageRequest(url)))
        await eventually { [tier] in tier.calls.contains { $0.function == .store } }
        let removal = Task { [url] in try await cache.remove(for: ImageRequest(url)) }
        await eventually { cache.tiers.pending.withLock { $0.all.count == 2 } }
        gate.open()
        #expect(try await removal.value == 1)
        #expect(tier.keys.isEmpty)
    }

    @Test("hide what one of them could not remove, and remove it before something is stored in its place")
    func failedRemoval() async throws {
        let test = TestPipeline(tiers: [tier])
        let cache = test.pipeline.cache
        let variant = CacheKey(name: key.name, variant: "0a")
        tier.put(entry(seed: 1), for: key)
        tier.put(entry(seed: 1), for: variant)
        tier.unavailable = [.remove]
        await #expect(throws: ImageError.self) { try await cache.remove(for: ImageRequest(url)) }
        #expect(test.faults.withLock { $0.count } == 1)
        #expect(tier.keys == [key, variant])
        await #expect(throws: ImageError.self) { try await owner(test, [.onlyFromCache]) }
        // Nothing is stored while the removal fails.
        test.transport.serve(url, Sample.png(seed: 2))
        #expect(try await owner(test) == 2)
        await test.settle()
        #expect(tier.present(key)?.body == Sample.png(seed: 1))
        tier.unavailable = []
        #expect(try await owner(test, [.forceRefresh]) == 2)
        await test.settle()
        #expect(tier.keys == [key])
        try await cache.removeAllFromDisk()
        tier.put(entry(seed: 3), for: key)
        cache.removeAllFromMemory()
        #expect(try await owner(test, [.onlyFromCache]) == 3)
    }

    @Test("hide what the disk could not remove")
    func failedRemovalOnDisk() async throws {
        let folder = TestPipeline.temporaryPath()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var configuration = DiskCache.Configuration(folder: folder)
        configuration.busyTimeout = 1
        configuration.sweepInterval = nil
        let cache = ImageCache(disk: configuration, memoryPressure: nil)
        let (request, other) = (ImageRequest(url), ImageRequest(Sample.url()))
        #expect(try await cache.store(Sample.png(seed: 1), for: request))
        #expect(try await cache.store(Sample.png(seed: 1), for: other))
        let process = try SQLiteConnection("\(folder)/v3/index.sqlite", creates: false, busyTimeout: 0)
        try process.execute("BEGIN IMMEDIATE")
        await #expect(throws: ImageError.self) { try await cache.remove(for: request) }
        #expect(await cache.storedData(for: request) == nil)
        #expect(await cache.tiers(with: request) == [])
        #expect(try await cache.fileLocation(for: request) == nil)
        #expect(await cache.storedData(for: other) != nil)
        try process.execute("COMMIT")
        #expect(await cache.storedData(for: request) == nil)
        #expect(try await cache.store(Sample.png(seed: 2), for: request))
        #expect(await cache.storedData(for: request) == Sample.png(seed: 2))
    }

    @Test("below the disk lose what is outdated, and what the program replaces")
    func outdated() async throws {
        let test = TestPipeline(tiers: [tier])
        let crop = ImageOption.processor(.crop(to: .pixels(9, 9), anchor: .topLeft))
        for seed in [1, 2] {
            test.transport.serve(url, Sample.png(seed: seed))
            _ = try await owner(test, seed == 1 ? [crop, .forceRefresh] : [.forceRefresh])
            await test.settle()
        }
        #expect(tier.keys == [key])
        #expect(tier.present(key)?.body == Sample.png(seed: 2))
        tier.put(entry(seed: 1), for: CacheKey(name: key.name, variant: "0a"))
        try await test.pipeline.cache.store(Sample.png(seed: 3), for: ImageRequest(url))
        await test.pipeline.cache.flush()
        #expect(tier.keys == [key])
        #expect(tier.present(key)?.body == Sample.png(seed: 3))
    }

    @Test(
        "keep a result of the program while the server confirms its original, as the disk does",
        arguments: [[], [.forceRefresh]] as [[ImageOption]]
    )
    func confirmedOriginal(options: [ImageOption]) async throws {
        let test = TestPipeline(tiers: [tier])
        let cache = test.pipeline.cache
        let headers: HTTPFields = [.cacheControl: "no-cache", .eTag: "\"1\""]
        func load(_ status: Int, seed: Int) async throws {
            let body = status == 304 ? Data() : Sample.png(seed: seed)
            test.transport.setRoute(url, .init(status: status, headers: headers, body: body))
            #expect(try await owner(test, status == 304 ? [] : options) == seed)
            await test.settle()
            // The order of content does not know the original any more.
            await eventually { cache.order.recordCount == 0 }
        }
        try await load(200, seed: 1)
        try await storeCrop(cache)
        for (status, seed, count) in [(304, 1, 2), (200, 1, 2), (200, 2, 1)] {
            try await load(status, seed: seed)
            #expect(tier.keys.count == count)
            #expect(try await cache.diskStatistics().count == count)
        }
    }

    @Test("lose a result of an unknown original that is older than the one that the server confirms, and no newer one")
    func olderResult() async throws {
        let clock = ManualStoreClock()
        let tier = ScriptedTier(clock: clock.clock)
        let test = TestPipeline(tiers: [tier], clock: clock.clock)
        let cache = test.pipeline.cache
        func load(_ status: Int) async throws {
            let body = status == 304 ? Data() : Sample.png()
            let headers: HTTPFields = [.cacheControl: "no-cache", .eTag: "\"1\""]
            test.transport.setRoute(url, .init(status: status, headers: headers, body: body))
            _ = try await test.pipeline.response(for: url)
            await test.settle()
            await eventually { cache.order.recordCount == 0 }
            clock.advance(by: 100)
        }
        let early = clock.clock.now()
        try await storeCrop(cache)
        clock.advance(by: 100)
        // It may have been made of this one.
        try await load(200)
        #expect(try await cache.diskStatistics().count == 2)
        // As left by a process that could not remove it.
        tier.put(TierEntry(body: Sample.png(9, 9), storedAt: early), for: CacheKey(name: key.name, variant: "0a"))
        try await load(304)
        #expect(tier.keys == [key])
        #expect(try await cache.diskStatistics().count == 1)
        try await storeCrop(cache)
        for status in [304, 304, 200, 200] {
            try await load(status)
            #expect(tier.keys.count == 2)
            #expect(try await cache.diskStatistics().count == 2)
        }
    }

    @Test("lose a result of the program with an original that one of them alone had", arguments: [true, false])
    func refreshedOriginal(isOnDisk: Bool) async throws {
        let test = TestPipeline(tiers: [tier])
        let cache = test.pipeline.cache
        if isOnDisk {
            #expect(try await cache.store(Sample.png(seed: 1), for: ImageRequest(url)))
            await cache.flush()
            _ = await tier.remove(.everything, TierCall())
        } else {
            tier.put(entry(seed: 1), for: key)
        }
        try await storeCrop(cache)
        await eventually { cache.order.recordCount == 0 }
        test.transport.serve(url, Sample.png(seed: 2))
        #expect(try await owner(test, [.forceRefresh]) == 2)
        await test.settle()
        #expect(await cache.tiers(with: ImageRequest(url, options: Self.crop)) == [])
        #expect(tier.keys == [key])
    }

    @Test("lose what is outdated although its server has confirmed the new original since, or a result was stored")
    func outdatedBeforeConfirmation() async throws {
        let test = TestPipeline(tiers: [tier])
        let (cache, outdated) = (test.pipeline.cache, CacheKey(name: key.name, variant: "0a"))
        tier.put(entry(seed: 1), for: key)
        tier.put(entry(seed: 1), for: outdated)
        test.transport.serve(url, Sample.png(seed: 2))
        let gate = tier.hold(.store)
        for _ in 1...2 { #expect(try await owner(test, [.forceRefresh, .waitForCache]) == 2) }
        let bitmap = Sample.bitmap(9, 9)
        let image = DecodedImage(bitmap: bitmap, info: ImageInfo(format: .png, size: bitmap.size))
        #expect(try await cache.store(image, for: ImageRequest(url, options: Self.crop)))
        #expect(tier.keys == [key, outdated])
        gate.open()
        await cache.flush()
        #expect(!tier.keys.contains(outdated))
        #expect(tier.present(key)?.body == Sample.png(seed: 2))
    }

    private static let crop: [ImageOption] = [.processor(.crop(to: .pixels(9, 9)))]

    /// Stores a result as the program does.
    private func storeCrop(_ cache: ImageCache) async throws {
        let bitmap = Sample.bitmap(9, 9)
        let image = DecodedImage(bitmap: bitmap, info: ImageInfo(format: .png, size: bitmap.size))
        #expect(try await cache.store(image, for: ImageRequest(url, options: Self.crop)))
        await cache.flush()
    }

    @Test("that cannot keep up, are full, or fail have no older image than the disk")
    func noStore() async throws {
        for (isBehind, byteLimit, unavailable) in [(true, Int.max, []), (false, 0, []), (false, Int.max, [.store])]
            as [(Bool, Int, Set<ScriptedTier.Function>)]
        {
            let tier = ScriptedTier()
            let test = TestPipeline(tiers: [tier])
            tier.put(entry(seed: 1), for: key)
            (tier.isBehind, tier.byteLimit, tier.unavailable) = (isBehind, byteLimit, unavailable)
            test.transport.serve(url, Sample.png(seed: 2))
            #expect(try await owner(test, [.forceRefresh]) == 2)
            await test.settle()
            // What was evicted or lost on disk is asked for below.
            try await test.pipeline.cache.disk.change { try $0.removeAll() }
            test.pipeline.cache.removeAllFromMemory()
            await #expect(throws: ImageError.self) { try await owner(test, [.onlyFromCache]) }
        }
    }

    @Test("that forget what is stored make a load ask its server")
    func forgetful() async throws {
        tier.isForgetful = true
        let test = TestPipeline(tiers: [tier])
        test.transport.serve(url, Sample.png(seed: 2))
        for count in 1...2 {
            #expect(try await owner(test) == 2)
            await test.settle()
            #expect(test.transport.startedCount == count)
            try await test.pipeline.cache.disk.change { try $0.removeAll() }
            test.pipeline.cache.removeAllFromMemory()
        }
    }

    @Test("take a result of processors from below, and remove one that is damaged there")
    func results() async throws {
        let crop: [ImageOption] = [.processor(.crop(to: .pixels(9, 9), anchor: .topLeft))]
        let test = TestPipeline(tiers: [tier])
        test.transport.serve(url, Sample.png(seed: 2))
        #expect(try await owner(test, crop) == 2)
        await test.settle()
        let result = try #require(tier.keys.first { $0.variant != nil })
        func forget() async throws {
            try await test.pipeline.cache.disk.change { try $0.removeAll() }
            test.pipeline.cache.removeAllFromMemory()
        }
        try await forget()
        #expect(try await test.pipeline.response(for: url, options: crop).source == .disk)
        var damaged = try #require(tier.present(result))
        damaged.body = Data("nonsense".utf8)
        tier.put(damaged, for: result)
        try await forget()
        #expect(try await test.pipeline.response(for: url, options: crop).source == .network)
        await test.settle()
        #expect(tier.present(result)?.body != damaged.body)
    }

    @Test("wait in a look-up for a store that is in progress there, and no longer than the load does")
    func lookUpDuringStore() async throws {
        let gate = tier.hold(.store)
        let test = TestPipeline(tiers: [tier])
        let cache = test.pipeline.cache
        #expect(try await cache.store(Sample.png(seed: 1), for: ImageRequest(url)))
        try await cache.disk.change { try $0.removeAll() }
        let cancelled = test.pipeline.task(for: url, options: [.onlyFromCache])
        await eventually { cache.tiers.waitingReadCount == 1 }
        cancelled.cancel()
        await #expect(throws: (any Error).self) { try await cancelled.response }
        let task = test.pipeline.task(for: url, options: [.onlyFromCache])
        await eventually { cache.tiers.waitingReadCount == 1 }
        gate.open()
        #expect(try await task.image.owner == 1)
    }
}
