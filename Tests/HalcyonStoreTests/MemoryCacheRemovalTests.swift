import HalcyonStore
import HalcyonTesting
import Testing

@Suite("What the memory cache removes")
struct MemoryCacheRemovalTests {
    private let clock = ManualStoreClock()

    private func cache(_ limit: Int = 100) -> MemoryCache<String, Int> {
        MemoryCache(costLimit: limit, clock: clock.clock)
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
