import FoundationEssentials
import HalcyonTesting
import Testing

@testable import HalcyonStore

@Suite("The latest expiration of a value in memory")
struct MemoryCacheLatestTests {
    private final class Object: Sendable {}

    private let clock = ManualStoreClock()
    private var date: Date { clock.clock.now().addingTimeInterval(1_000) }

    @Test("is found with its value: the date that was given with it, whatever time has passed, and none otherwise")
    func latest() throws {
        let cache = MemoryCache<Int, Int>(costLimit: 10, clock: clock.clock)
        let date = date
        #expect(cache.store(1, for: 1, cost: 1, expiration: .never, latest: .date(date), if: { true }))
        #expect(cache.store(2, for: 2, cost: 1, expiration: .never))
        for _ in 0..<2 {
            let found = try #require(cache.entryAndLatest(for: 1))
            #expect(found.value == 1)
            try expectDate(date, found.latest)
            clock.advance(by: 400)
        }
        let other = try #require(cache.entryAndLatest(for: 2))
        #expect(other.value == 2 && other.latest == nil)
        #expect(cache.entryAndLatest(for: 3) == nil)
        #expect(cache.statistics.hits == 3 && cache.statistics.misses == 1)
        clock.advance(by: 400)
        #expect(cache.entryAndLatest(for: 1) == nil)
    }

    @Test("stays that of a value that was evicted, and is found while it is held elsewhere")
    func evicted() throws {
        let cache = MemoryCache<Int, Object>(
            costLimit: 10,
            clock: clock.clock,
            weakReference: { WeakValue($0) { $0 } }
        )
        let (object, date) = (Object(), date)
        #expect(cache.store(object, for: 1, cost: 1, expiration: .never, latest: .date(date), if: { true }))
        cache.trim()
        #expect(cache.statistics.count == 0)
        let found = try #require(cache.entryAndLatest(for: 1))
        #expect(found.value === object)
        try expectDate(date, found.latest)
        #expect(cache.entryAndLatest(for: 2) == nil)
        #expect(cache.statistics.hits == 1 && cache.statistics.misses == 1)
    }

    private func expectDate(_ date: Date, _ latest: Expiration?) throws {
        guard case .date(let latest)? = latest else {
            Issue.record("no date")
            return
        }
        #expect(abs(latest.timeIntervalSince(date)) < 0.001)
    }
}
