import FoundationEssentials
import HalcyonStore
import HalcyonTesting
import Testing

@Suite("Expiry in the memory cache")
struct MemoryCacheExpiryTests {
    let clock = ManualStoreClock()
    let cache: MemoryCache<String, Int>

    init() {
        cache = MemoryCache(costLimit: 1_000, clock: clock.clock)
    }

    @Test("a value lives for 300 seconds by default")
    func defaultLifetime() {
        cache.store(1, for: "a", cost: 1)
        clock.advance(by: 299)
        #expect(cache.contains("a"))
        clock.advance(by: 1)
        #expect(!cache.contains("a"))
        #expect(cache.entry(for: "a") == nil)
    }

    @Test("an access starts the lifetime again")
    func accessExtends() {
        cache.store(1, for: "a", cost: 1, expiration: .seconds(10))
        clock.advance(by: 9)
        #expect(cache.entry(for: "a") == 1)
        clock.advance(by: 9)
        #expect(cache.entry(for: "a") == 1)
        clock.advance(by: 10)
        #expect(cache.entry(for: "a") == nil)
    }

    @Test("an access may leave the expiry, or set another")
    func otherExtensions() {
        cache.store(1, for: "a", cost: 1, expiration: .seconds(10))
        clock.advance(by: 9)
        #expect(cache.entry(for: "a", extending: .none) == 1)
        clock.advance(by: 1)
        #expect(cache.entry(for: "a") == nil)
        cache.store(2, for: "b", cost: 1, expiration: .seconds(10))
        #expect(cache.entry(for: "b", extending: .to(.days(1))) == 2)
        clock.advance(by: 86_399)
        #expect(cache.entry(for: "b", extending: .none) == 2)
        clock.advance(by: 1)
        #expect(cache.entry(for: "b") == nil)
    }

    @Test("asking whether a value is there never extends it")
    func containsDoesNotExtend() {
        cache.store(1, for: "a", cost: 1, expiration: .seconds(10))
        clock.advance(by: 9)
        #expect(cache.contains("a"))
        clock.advance(by: 1)
        #expect(!cache.contains("a"))
    }

    @Test("an access does not move a fixed date")
    func fixedDate() {
        cache.store(1, for: "a", cost: 1, expiration: .date(clock.date + 10))
        clock.advance(by: 9)
        #expect(cache.entry(for: "a") == 1)
        clock.advance(by: 1)
        #expect(cache.entry(for: "a") == nil)
    }

    @Test("what never expires stays")
    func never() {
        cache.store(1, for: "a", cost: 1, expiration: .never)
        clock.advance(by: 1e9)
        #expect(cache.entry(for: "a") == 1)
    }

    @Test(
        "what is over at once is not stored, and does not leave the old value behind",
        arguments: [Expiration.expired, .seconds(0), .seconds(-1), .seconds(.nan), .date(.distantPast), .days(-3)]
    )
    func overAtOnce(_ expiration: Expiration) {
        cache.store(1, for: "a", cost: 1)
        #expect(!cache.store(2, for: "a", cost: 1, expiration: expiration))
        #expect(cache.entry(for: "a") == nil)
        #expect(cache.statistics.count == 0)
    }

    @Test("expired values are swept on demand, and little by little as others come")
    func sweep() {
        for number in 0..<100 { cache.store(number, for: "\(number)", cost: 1, expiration: .seconds(1)) }
        clock.advance(by: 1)
        #expect(cache.statistics.count == 100)
        cache.removeExpired()
        #expect(cache.statistics.count == 0)
        #expect(cache.statistics.cost == 0)
        #expect(cache.statistics.expirations == 100)
        for number in 0..<100 { cache.store(number, for: "\(number)", cost: 1, expiration: .seconds(1)) }
        clock.advance(by: 1)
        for number in 0..<200 { cache.store(number, for: "later \(number)", cost: 1, expiration: .never) }
        #expect(cache.statistics.count == 200)
        #expect(cache.brokenInvariants().isEmpty)
    }

    @Test("lifetimes beyond the clock's range are as good as never")
    func hugeLifetimes() {
        cache.store(1, for: "a", cost: 1, expiration: .days(.max))
        cache.store(2, for: "b", cost: 1, expiration: .seconds(.infinity))
        clock.advance(by: 1e9)
        #expect(cache.entry(for: "a", extending: .to(.days(.max))) == 1)
        #expect(cache.entry(for: "b") == 2)
    }

    @Test("there is a pause between two sweeps, whatever the interval", .timeLimit(.minutes(5)), arguments: [0, -5])
    func shortestInterval(seconds: Int) async {
        let sweepClock = ManualClock()
        let cache = MemoryCache<String, Int>(
            costLimit: 1_000,
            sweepInterval: .seconds(seconds),
            clock: clock.clock,
            sweepClock: sweepClock
        )
        cache.store(1, for: "a", cost: 1)
        await sweepClock.waitForSleepers(1)
        #expect(cache.sweepInterval == .seconds(seconds))
    }

    @Test("an interval beyond what a clock can express counts as 136 years", .timeLimit(.minutes(5)))
    func longestInterval() async {
        let sweepClock = ManualClock()
        let cache = MemoryCache<String, Farewell>(
            costLimit: 1_000,
            sweepInterval: .seconds(Int64.max),
            clock: clock.clock,
            sweepClock: sweepClock
        )
        let (freed, continuation) = AsyncStream.makeStream(of: String.self)
        cache.store(Farewell("a", continuation), for: "a", cost: 1, expiration: .seconds(100))
        await sweepClock.waitForSleepers(1)
        clock.advance(by: 200)
        sweepClock.advance(by: .seconds(1 << 32))
        for await name in freed.prefix(1) { #expect(name == "a") }
    }

    @Test("what expired goes by itself every two minutes, and an empty cache has nothing that runs")
    func periodicSweep() async {
        let sweepClock = ManualClock()
        let cache = MemoryCache<String, Farewell>(costLimit: 1_000, clock: clock.clock, sweepClock: sweepClock)
        #expect(sweepClock.sleeperCount == 0)
        let (freed, continuation) = AsyncStream.makeStream(of: String.self)
        cache.store(Farewell("short", continuation), for: "short", cost: 1, expiration: .seconds(100))
        cache.store(Farewell("long", continuation), for: "long", cost: 1, expiration: .seconds(200))
        await sweepClock.waitForSleepers(1)
        var heard: [String] = []
        for _ in 0..<2 {
            clock.advance(by: 120)
            sweepClock.advance(by: .seconds(120))
            for await name in freed.prefix(1) { heard.append(name) }
            if heard.count == 1 { await sweepClock.waitForSleepers(1) }
        }
        #expect(heard == ["short", "long"])
        #expect(sweepClock.sleeperCount == 0)
        cache.store(Farewell("again", continuation), for: "again", cost: 1)
        await sweepClock.waitForSleepers(1)
    }

    @Test("a new interval of the sweep takes effect at once")
    func sweepInterval() async {
        let sweepClock = ManualClock()
        let cache = MemoryCache<String, Farewell>(
            costLimit: 1_000,
            sweepInterval: nil,
            clock: clock.clock,
            sweepClock: sweepClock
        )
        let (freed, continuation) = AsyncStream.makeStream(of: String.self)
        cache.store(Farewell("a", continuation), for: "a", cost: 1, expiration: .seconds(1))
        clock.advance(by: 1)
        #expect(sweepClock.sleeperCount == 0)
        cache.sweepInterval = .seconds(1_000)
        await sweepClock.waitForSleepers(1)
        cache.sweepInterval = .seconds(10)
        await sweepClock.waitForSleepers(1)
        sweepClock.advance(by: .seconds(10))
        for await name in freed.prefix(1) { #expect(name == "a") }
        #expect(cache.statistics.count == 0)
    }
}

/// A value that reports when it is freed.
private final class Farewell: Sendable {
    private let name: String
    private let continuation: AsyncStream<String>.Continuation

    init(_ name: String, _ continuation: AsyncStream<String>.Continuation) {
        self.name = name
        self.continuation = continuation
    }

    deinit { continuation.yield(name) }
}
