import FoundationEssentials
import HalcyonStore
import HalcyonTesting
import Testing

@Suite("A change of one version of a disk cache's entry")
struct DiskCacheVersionTests {
    /// Two caches on one folder, as two processes have.
    private func pair() throws -> (DiskCacheFixture, DiskCacheFixture) {
        let one = try DiskCacheFixture()
        return (one, try DiskCacheFixture(in: one.folder, clock: one.clock))
    }

    private func store(_ seed: Int, size: Int, _ durability: DiskCache.Durability, in cache: DiskCache) throws {
        try cache.store(bytes(size, seed: seed), for: "a", metadata: Data("head \(seed)".utf8), durability: durability)
    }

    @Test("is made to the version that was found", arguments: [10, 20_000], DiskCache.Durability.allCases)
    func unchanged(size: Int, durability: DiskCache.Durability) throws {
        let (one, two) = try pair()
        try store(1, size: size, durability, in: one.cache)
        let found = try #require(one.cache.entry(for: "a"))
        #expect(try one.cache.updateMetadata(Data("new".utf8), for: "a", replacing: found.version))
        try one.cache.flush()
        for cache in [one.cache, two.cache] {
            #expect(cache.entry(for: "a")?.metadata == Data("new".utf8))
            #expect(cache.entry(for: "a")?.body == bytes(size, seed: 1))
        }
        #expect(try one.cache.verify().isSound)
    }

    @Test(
        "is not made to what was stored since, here or by another process",
        arguments: [10, 20_000],
        DiskCache.Durability.allCases
    )
    func replaced(size: Int, durability: DiskCache.Durability) throws {
        for isElsewhere in [false, true] {
            let (one, two) = try pair()
            try store(1, size: size, durability, in: one.cache)
            let found = try #require(one.cache.entry(for: "a"))
            try one.cache.flush()
            try store(2, size: size, durability, in: isElsewhere ? two.cache : one.cache)
            if isElsewhere { try two.cache.flush() }
            #expect(try !one.cache.updateMetadata(Data("head 1, validated".utf8), for: "a", replacing: found.version))
            #expect(try !one.cache.remove(for: "a", ifStill: found.version))
            try one.cache.flush()
            for cache in [one.cache, two.cache] {
                #expect(cache.entry(for: "a")?.metadata == Data("head 2".utf8))
                #expect(cache.entry(for: "a")?.body == bytes(size, seed: 2))
            }
        }
    }

    @Test("is lost with the version if that is replaced afterwards", arguments: DiskCache.Durability.allCases)
    func replacedAfterwards(durability: DiskCache.Durability) throws {
        let (one, two) = try pair()
        try store(1, size: 10, durability, in: one.cache)
        let found = try #require(one.cache.entry(for: "a"))
        #expect(try one.cache.updateMetadata(Data("new".utf8), for: "a", replacing: found.version))
        // It waits for its transaction in the other cache.
        try store(2, size: 10, .none, in: two.cache)
        #expect(try one.cache.updateMetadata(Data("newer".utf8), for: "a"))
        try two.cache.flush()
        for cache in [one.cache, two.cache] {
            #expect(cache.entry(for: "a")?.metadata == Data("head 2".utf8))
            #expect(cache.entry(for: "a")?.body == bytes(10, seed: 2))
        }
    }

    @Test("is made once: of two that found the same version, the second does nothing")
    func twice() throws {
        let (one, two) = try pair()
        try store(1, size: 10, .normal, in: one.cache)
        let (first, second) = (try #require(one.cache.entry(for: "a")), try #require(two.cache.entry(for: "a")))
        #expect(first.version == second.version)
        #expect(try one.cache.updateMetadata(Data("first".utf8), for: "a", replacing: first.version))
        #expect(try !two.cache.updateMetadata(Data("second".utf8), for: "a", replacing: second.version))
        let now = try #require(two.cache.entry(for: "a"))
        #expect(now.metadata == Data("first".utf8))
        #expect(try two.cache.updateMetadata(Data("third".utf8), for: "a", replacing: now.version))
    }

    @Test("does not bring back what was removed")
    func removed() throws {
        let (one, two) = try pair()
        try store(1, size: 10, .normal, in: one.cache)
        let found = try #require(one.cache.entry(for: "a"))
        try two.cache.remove(for: "a")
        #expect(try !one.cache.updateMetadata(Data(), for: "a", replacing: found.version))
        #expect(!one.cache.contains("a"))
    }

    @Test("is not undone by a look-up that found the version before")
    func earlierUse() async throws {
        let held = HeldCall()
        let manual = ManualStoreClock()
        let fixture = try DiskCacheFixture {
            let clock = manual.clock
            $0.clock = StoreClock(monotonic: clock.monotonic) {
                held.pass()
                return clock.now()
            }
        }
        let cache = fixture.cache
        try cache.store(bytes(10), for: "a")
        // The look-up asks for the date after it has read the row.
        held.arm()
        async let found = onThread { cache.entry(for: "a") }
        await held.waitUntilReached()
        #expect(try cache.updateMetadata(Data("new".utf8), for: "a", expiration: .seconds(60)))
        held.release()
        #expect(try await found?.metadata == Data())
        try cache.flush()
        #expect(cache.entry(for: "a", extending: .none)?.expiresAt == manual.date + 60)
    }

    @Test("a removal takes only the version that was found, staged or not", arguments: DiskCache.Durability.allCases)
    func removal(durability: DiskCache.Durability) throws {
        let (one, two) = try pair()
        try store(1, size: 10, durability, in: one.cache)
        let found = try #require(one.cache.entry(for: "a"))
        #expect(try one.cache.remove(for: "a", ifStill: found.version))
        #expect(!one.cache.contains("a") && !two.cache.contains("a"))
        #expect(try !one.cache.remove(for: "a", ifStill: found.version))
    }
}
