import FoundationEssentials
import HalcyonTesting
import Testing

@testable import HalcyonStore

@Suite("The latest expiration of a value in memory")
struct MemoryCacheLatestTests {
    private final class Object: Sendable {}

    private let clock = ManualStoreClock()
    private var date: Date { clock.clock.now().addingTimeInterval(1_000) }

    @Test("ends the life of a value, however often it is used, and of no other value")
    func latest() {
        let cache = MemoryCache<Int, Int>(costLimit: 10, clock: clock.clock)
        #expect(cache.store(1, for: 1, cost: 1, expiration: .never, latest: .date(date), if: { true }))
        #expect(cache.store(2, for: 2, cost: 1, expiration: .never))
        for _ in 0..<2 {
            #expect(cache.entry(for: 1) == 1)
            clock.advance(by: 499)
        }
        #expect(cache.entry(for: 1) == 1)
        clock.advance(by: 2)
        #expect(cache.entry(for: 1) == nil && cache.entry(for: 2) == 2)
    }

    @Test("ends that of a value that was evicted, and is found while it is held elsewhere")
    func evicted() {
        let cache = MemoryCache<Int, Object>(
            costLimit: 10,
            clock: clock.clock,
            weakReference: { WeakValue($0) { $0 } }
        )
        let object = Object()
        #expect(cache.store(object, for: 1, cost: 1, expiration: .never, latest: .date(date), if: { true }))
        cache.trim()
        #expect(cache.statistics.count == 0)
        #expect(cache.entry(for: 1) === object)
        cache.trim()
        clock.advance(by: 1_001)
        #expect(cache.entry(for: 1) == nil)
    }
}
