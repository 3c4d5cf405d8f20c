import FoundationEssentials
import HalcyonSystem
import HalcyonTesting
import Testing

@testable import Halcyon
@testable import HalcyonStore

@Suite("A removal that a tier could not make")
struct FailedRemovalTests {
    private let clock = ManualStoreClock()
    private let tier: ScriptedTier
    private let test: TestPipeline
    private let request = ImageRequest(Sample.url())
    private let other = ImageRequest(Sample.url())

    init() {
        tier = ScriptedTier(clock: clock.clock)
        test = TestPipeline(tiers: [tier], clock: clock.clock)
    }

    private var cache: ImageCache { test.pipeline.cache }

    private func key(_ request: ImageRequest) throws -> CacheKey {
        CacheKey(name: try #require(ImageKey(request)).originalDiskKey)
    }

    private func put(_ request: ImageRequest, seed: Int, storedAt date: Date? = nil) throws {
        let body = Sample.png(seed: seed)
        tier.put(TierEntry(body: body, storedAt: date, digest: ContentDigest(of: body).value), for: try key(request))
    }

    /// Fails so many removals of different originals that not all of them are told apart.
    private func overflow(_ number: Int) {
        for count in 0...FailedRemovals.limit { cache.tiers.failed[number].add(.name("https://a.example/\(count)")) }
    }

    @Test("is one removal that failed, however often it is tried, and is made without any other")
    func again() async throws {
        try put(request, seed: 1)
        try put(other, seed: 3)
        tier.unavailable = [.remove]
        await #expect(throws: ImageError.self) { try await cache.remove(for: request) }
        for _ in 0...FailedRemovals.limit { cache.tiers.failed[1].add(.name(try key(request).name)) }
        #expect(await cache.storedData(for: request) == nil)
        #expect(await cache.storedData(for: other) == Sample.png(seed: 3))
        tier.unavailable = []
        #expect(try await cache.store(Sample.png(seed: 2), for: request))
        await cache.flush()
        #expect(tier.keys == [try key(request), try key(other)])
        #expect(tier.present(try key(request))?.body == Sample.png(seed: 2))
        #expect(!tier.calls.contains { $0.scope == .everything })
        #expect(cache.tiers.failed[1].removals(under: try key(request).name).isEmpty)
    }

    private func tiers(in folder: String, _ clock: ManualClock) -> CacheTiers {
        CacheTiers(disk: DiskTier(configuration: .init(folder: folder), flushClock: clock, onFault: nil), [tier])
    }

    @Test("of all under a name is tried again until it is made, though nothing is stored there")
    func background() async throws {
        let (folder, clock) = (TestPipeline.temporaryPath(), ManualClock())
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let tiers = tiers(in: folder, clock)
        let key = try key(request)
        try put(request, seed: 1)
        tier.unavailable = [.remove]
        let isMade = try await tiers.remove(.name(key.name)).isMadeBelow
        #expect(!isMade)
        for seconds in [1, 2] {
            await clock.waitForSleepers(1)
            clock.advance(by: .seconds(seconds))
        }
        await clock.waitForSleepers(1)
        #expect(tier.keys == [key])
        tier.unavailable = []
        clock.advance(by: .seconds(4))
        await eventually { [tier] in tier.keys.isEmpty && tiers.failed[1].unconditional.isEmpty }
        #expect(clock.sleeperCount == 0)
    }

    @Test("is made at one time with all others that could not be made")
    func together() async throws {
        let (folder, clock) = (TestPipeline.temporaryPath(), ManualClock())
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let tiers = tiers(in: folder, clock)
        let keys = (0..<20).map { CacheKey(name: "https://a.example/\($0)") }
        for key in keys { tier.put(.init(body: Data([1])), for: key) }
        tier.unavailable = [.remove]
        for key in keys { _ = try await tiers.remove(.name(key.name)) }
        await clock.waitForSleepers(1)
        #expect(tier.keys.count == 20 && clock.sleeperCount == 1)
        tier.unavailable = []
        clock.advance(by: .seconds(1))
        await eventually { [tier] in tier.keys.isEmpty && tiers.failed[1].unconditional.isEmpty }
        #expect(clock.sleeperCount == 0)
    }

    @Test("is one for a load that stores an original and a result of it, and hides what was made of others alone")
    func load() async throws {
        let url = Sample.url()
        tier.unavailable = Set(ScriptedTier.Function.allCases)
        test.transport.serve(url, Sample.png(seed: 1))
        let crop = ImageOption.processor(.crop(to: .pixels(9, 9), anchor: .topLeft))
        _ = try await test.pipeline.response(for: url, options: [crop, .cacheOriginalImage])
        await test.settle()
        let (failed, key) = (cache.tiers.failed[1], try key(ImageRequest(url)))
        #expect(failed.removals(under: key.name).count == 1)
        func isHidden(_ key: CacheKey, seed: Int) -> Bool {
            failed.hide(key, version: nil, storedAt: nil, digest: ContentDigest(of: Sample.png(seed: seed)))
        }
        for key in [key, CacheKey(name: key.name, variant: "0a")] {
            #expect(!isHidden(key, seed: 1) && isHidden(key, seed: 2))
        }
    }

    @Test("is told apart from those of 5,000 loads")
    func manyLoads() {
        let failed = FailedRemovals(now: clock.clock.now)
        for number in 0..<5_000 {
            let name = "https://a.example/\(number)"
            for variant in [nil, "0a"] { failed.add(.entry(CacheKey(name: name, variant: variant)), digest: 1) }
            failed.add(.name(name, except: [1]))
            failed.add(.entry(CacheKey(name: name, variant: "0b")), digest: 1)
        }
        func isHidden(_ name: String) -> Bool {
            failed.hide(CacheKey(name: name), version: nil, storedAt: nil, digest: ContentDigest(2))
        }
        #expect(!isHidden("https://a.example/5000") && isHidden("https://a.example/0"))
    }

    @Test("of what the program stores in place of a result hides the result")
    func storeByProgram() throws {
        let failed = FailedRemovals(now: clock.clock.now)
        let result = CacheKey(name: "a", variant: "0a")
        failed.add(.name("a", except: [1]))
        failed.add(.entry(result))
        #expect(failed.hide(result, version: nil, storedAt: nil, digest: ContentDigest(1)))
        #expect(failed.removals(under: "a").count == 2)
        // All of the name covers it.
        failed.add(.name("a"))
        #expect(failed.removals(under: "a") == [.name("a", except: [1]), .name("a")])
    }

    @Test("below the disk hides all that was there, and removes none of it, once there are too many of them")
    func overflowBelow() async throws {
        try put(request, seed: 1)
        overflow(1)
        #expect(await cache.storedData(for: request) == nil)
        clock.advance(by: 1)
        #expect(try await cache.store(Sample.png(seed: 2), for: other))
        await cache.flush()
        try await cache.disk.change { try $0.removeAll() }
        #expect(tier.keys == [try key(request), try key(other)])
        #expect(await cache.storedData(for: request) == nil)
        #expect(await cache.storedData(for: other) == Sample.png(seed: 2))
    }

    @Test("on disk hides all that was there, and removes none of it, once there are too many of them")
    func overflowOnDisk() async throws {
        #expect(try await cache.store(Sample.png(seed: 1), for: request))
        await cache.flush()
        #expect(await tier.remove(.everything, TierCall()) == .done())
        clock.advance(by: 1)
        overflow(0)
        clock.advance(by: 1)
        #expect(try await cache.store(Sample.png(seed: 2), for: other))
        #expect(try await cache.diskStatistics().count == 2)
        #expect(await cache.storedData(for: request) == nil)
        #expect(await cache.tiers(with: request) == [])
        #expect(await cache.storedData(for: other) == Sample.png(seed: 2))
        #expect(await cache.tiers(with: other) == .disk)
    }

    @Test("after too many of them is told apart again")
    func afterOverflow() async throws {
        overflow(1)
        clock.advance(by: 1)
        try put(request, seed: 1, storedAt: clock.clock.now())
        try put(other, seed: 2, storedAt: clock.clock.now())
        clock.advance(by: 1)
        tier.unavailable = [.remove]
        await #expect(throws: ImageError.self) { try await cache.remove(for: request) }
        #expect(await cache.storedData(for: request) == nil)
        #expect(await cache.storedData(for: other) == Sample.png(seed: 2))
    }

    @Test("hides nothing any more once everything was removed")
    func everything() async throws {
        overflow(1)
        try await cache.removeAll()
        try put(request, seed: 1, storedAt: clock.clock.now().addingTimeInterval(-100))
        #expect(await cache.storedData(for: request) == Sample.png(seed: 1))
    }

    @Test("hides what came at a time that is not known, once there are too many of them")
    func unknownTime() throws {
        let failed = FailedRemovals(now: clock.clock.now)
        let key = try key(request)
        func isHidden(_ date: Date?) -> Bool { failed.hide(key, version: nil, storedAt: date, digest: nil) }
        #expect(!isHidden(nil))
        for count in 0...FailedRemovals.limit { failed.add(.name("\(count)")) }
        let later = clock.clock.now().addingTimeInterval(1)
        #expect(isHidden(nil) && !isHidden(later))
        failed.forget(.everything)
        #expect(!isHidden(nil))
    }

    @Test("is made once for stores that wait for it at the same time, and removes nothing that they store")
    func sharedAttempt() async throws {
        tier.unavailable = [.remove]
        await #expect(throws: ImageError.self) { try await cache.removeAll() }
        tier.unavailable = []
        let gate = tier.hold(.remove)
        #expect(try await cache.store(Sample.png(seed: 1), for: request))
        #expect(try await cache.store(Sample.png(seed: 2), for: other))
        await eventually { [tier] in tier.calls.count { $0.function == .remove } > 1 }
        gate.open()
        await cache.flush()
        #expect(tier.keys == [try key(request), try key(other)])
        #expect(tier.calls.count { $0.scope == .everything } == 2)
    }

    @Test("while a removal of everything is made once more is not forgotten with it")
    func duringAttempt() async {
        let failed = FailedRemovals(now: clock.clock.now)
        for scope in [TierScope.name("a"), .name("b"), .everything] { failed.add(scope) }
        #expect(
            await failed.retry(.everything) {
                for scope in [TierScope.name("b"), .name("c")] { failed.add(scope) }
                return true
            }
        )
        #expect(["a", "b", "c"].map { failed.removals(under: $0) } == [[], [.name("b")], [.name("c")]])
    }

    @Test("is made by one attempt, whether others ask for it meanwhile or afterwards")
    func attempts() async {
        let failed = FailedRemovals(now: clock.clock.now)
        failed.add(.everything)
        let (count, begun, gate) = (Lock(0), Gate(), Gate())
        let attempt: @Sendable () async -> Bool = {
            count.withLock { $0 += 1 }
            begun.open()
            await gate.wait()
            return true
        }
        async let first = failed.retry(.everything, attempt)
        await begun.wait()
        async let second = failed.retry(.everything, attempt)
        gate.open()
        let results = await [first, second, failed.retry(.everything, attempt)]
        #expect(results == [true, true, true] && count.withLock { $0 } == 1)
    }
}
