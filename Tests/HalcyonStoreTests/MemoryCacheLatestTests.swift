import FoundationEssentials
import HalcyonTesting
import Testing

@testable import HalcyonStore

@Suite("The latest expiration of a value in memory")
struct MemoryCacheLatestTests {
    @Test("is the date that was given with it, whatever time has passed, and none otherwise")
    func latest() throws {
        let clock = ManualStoreClock()
        let cache = MemoryCache<Int, Int>(costLimit: 10, clock: clock.clock)
        let date = clock.clock.now().addingTimeInterval(1_000)
        #expect(cache.store(1, for: 1, cost: 1, expiration: .never, latest: .date(date), if: { true }))
        #expect(cache.store(2, for: 2, cost: 1, expiration: .never))
        for _ in 0..<2 {
            guard case .date(let latest)? = cache.latestExpiration(of: 1) else {
                Issue.record("no date")
                return
            }
            #expect(abs(latest.timeIntervalSince(date)) < 0.001)
            clock.advance(by: 500)
        }
        #expect(cache.latestExpiration(of: 2) == nil && cache.latestExpiration(of: 3) == nil)
    }
}
