import HalcyonStore
import HalcyonTesting
import Testing

@Suite("What the memory cache removes")
struct MemoryCacheRemovalTests {
    private let clock = ManualStoreClock()

    private func cache(_ limit: Int = 100) -> MemoryCache<String, Int> {
        MemoryCache(costLimit: limit, clock: clock.clock)
    }

    @Test("each listener hears of exactly what went, and why")
    func stream() async {
        let cache = cache()
        cache.store(0, for: "before", cost: 1)
        cache.remove(for: "before")
        let (one, two) = (cache.removals, cache.removals)
        cache.store(1, for: "removed", cost: 1)
        cache.store(2, for: "replaced", cost: 1)
        cache.store(3, for: "replaced", cost: 1)
        cache.store(4, for: "short", cost: 1, expiration: .seconds(1))
        cache.remove(for: "removed")
        cache.remove(for: "never there")
        clock.advance(by: 2)
        cache.removeExpired()
        cache.trim()
        cache.store(5, for: "refused", cost: 1)
        cache.store(6, for: "refused", cost: 101)
        cache.store(7, for: "last", cost: 1)
        cache.removeAll()
        let wanted: [CacheRemoval<String>] = [
            .init(key: "removed", reason: .removed), .init(key: "short", reason: .expired),
            .init(key: "replaced", reason: .evicted), .init(key: "refused", reason: .removed),
            .init(key: "last", reason: .cleared),
        ]
        for stream in [one, two] {
            var heard: [CacheRemoval<String>] = []
            for await removal in stream.prefix(wanted.count) { heard.append(removal) }
            #expect(heard == wanted)
        }
        #expect(cache.brokenInvariants().isEmpty)
    }

    @Test("trimming evicts what was not used down to a cost and leaves the limit")
    func trim() {
        let cache = cache()
        for number in 0..<100 { cache.store(number, for: "\(number)", cost: 1) }
        cache.trim(to: 50)
        #expect(cache.statistics.cost == 50)
        #expect(cache.costLimit == 100)
        cache.store(0, for: "free", cost: 0)
        cache.trim()
        #expect(cache.statistics.count == 0)
        #expect(cache.brokenInvariants().isEmpty)
    }

    @Test("a predicate on keys removes what it picks, and may use the cache")
    func predicate() {
        let cache = cache()
        for number in 0..<100 { cache.store(number, for: "\(number)", cost: 1) }
        let count = cache.removeAll { key in
            _ = cache.contains(key)
            return key.hasSuffix("7")
        }
        #expect(count == 10)
        #expect(cache.entry(for: "17") == nil)
        #expect(cache.entry(for: "18") == 18)
        #expect(cache.brokenInvariants().isEmpty)
    }
}
