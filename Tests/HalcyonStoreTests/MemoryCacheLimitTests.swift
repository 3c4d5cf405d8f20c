import HalcyonStore
import HalcyonTesting
import Testing

@Suite("Limits of the memory cache")
struct MemoryCacheLimitTests {
    @Test("a value larger than the limit is refused, and the one it was to replace is gone")
    func tooLarge() {
        let cache = MemoryCache<Int, Int>(costLimit: 10)
        cache.store(1, for: 1, cost: 10)
        #expect(!cache.store(2, for: 1, cost: 11))
        #expect(cache.entry(for: 1) == nil)
        #expect(cache.statistics.cost == 0)
    }

    @Test("what was not used since the hand passed goes first")
    func secondChance() {
        let cache = MemoryCache<Int, Int>(costLimit: .max, countLimit: 100)
        for number in 0..<100 { cache.store(number, for: number, cost: 1) }
        for number in 0..<50 { #expect(cache.entry(for: number) == number) }
        for number in 100..<150 { cache.store(number, for: number, cost: 1) }
        for number in 0..<50 { #expect(cache.contains(number), "\(number) was used") }
        for number in 50..<100 { #expect(!cache.contains(number), "\(number) was not used") }
        #expect(cache.statistics.evictions == 50)
    }

    @Test("a value that was just stored is not the next to go")
    func newestStays() {
        let cache = MemoryCache<Int, Int>(costLimit: 10, countLimit: 2)
        for number in 0..<1_000 {
            cache.store(number, for: number, cost: 5)
            #expect(cache.contains(number))
        }
    }

    @Test("the cheapest is not preferred")
    func cheapStays() {
        // NSCache on Linux keeps only the 6 here.
        let cache = MemoryCache<Int, Int>(costLimit: 10)
        cache.store(0, for: 6, cost: 6)
        cache.store(0, for: 1, cost: 1)
        cache.store(0, for: 5, cost: 5)
        #expect(cache.contains(5))
        #expect(cache.statistics.cost <= 10)
    }

    @Test("lowering a limit evicts at once")
    func liveLimits() {
        let cache = MemoryCache<Int, Int>(costLimit: 1_000)
        for number in 0..<100 { cache.store(number, for: number, cost: 10) }
        cache.costLimit = 500
        #expect(cache.statistics.cost == 500)
        cache.countLimit = 20
        #expect(cache.statistics.count == 20)
        cache.costLimit = 0
        #expect(cache.statistics.count == 0)
        #expect(cache.brokenInvariants().isEmpty)
    }

    @Test("replacing counts only the new value")
    func replacing() {
        let cache = MemoryCache<Int, Int>(costLimit: 100)
        cache.store(1, for: 1, cost: 60)
        cache.store(2, for: 2, cost: 40)
        cache.store(3, for: 1, cost: 30)
        #expect(cache.statistics.cost == 70)
        #expect(cache.entry(for: 1) == 3)
        #expect(cache.entry(for: 2) == 2)
    }

    @Test("costs that sum up beyond Int do not trap")
    func hugeCosts() {
        let cache = MemoryCache<Int, Int>(costLimit: .max)
        for number in 0..<10 { cache.store(number, for: number, cost: .max) }
        cache.store(0, for: 100, cost: .min)
        #expect(cache.brokenInvariants().isEmpty)
    }

    @Test("sums and tables are exact after each of 20,000 random operations", arguments: [1, 2, 3])
    func randomOperations(seed: UInt64) {
        var random = SeededGenerator(state: seed)
        let clock = ManualStoreClock()
        let cache = MemoryCache<CollidingKey, Box>(
            costLimit: 500,
            countLimit: 40,
            clock: clock.clock,
            weakReference: { WeakValue($0) { $0 } }
        )
        var shown: [Int: Box] = [:]
        for _ in 0..<20_000 {
            let number = Int.random(in: 0..<120, using: &random)
            let key = CollidingKey(number: number)
            switch Int.random(in: 0..<100, using: &random) {
            case 0..<45:
                let box = Box(number)
                if Bool.random(using: &random) { shown[number] = box }
                cache.store(box, for: key, cost: .random(in: -1...60, using: &random), expiration: .seconds(50))
            case 45..<80:
                if let box = cache.entry(for: key) { #expect(box.number == number) }
            case 80..<88: cache.remove(for: key)
            case 88..<94: shown[number] = nil
            case 94..<96: clock.advance(by: 10)
            case 96..<97: cache.removeExpired()
            case 97..<98: cache.costLimit = .random(in: 100...500, using: &random)
            case 98..<99: cache.countLimit = .random(in: 5...40, using: &random)
            default: if Int.random(in: 0..<20, using: &random) == 0 { cache.removeAll() }
            }
            let problems = cache.brokenInvariants()
            guard problems.isEmpty else {
                Issue.record("\(problems)")
                return
            }
        }
    }
}

/// A key whose hash has 16 values, so that look-ups, removals and growth meet collisions all the time.
struct CollidingKey: Hashable, Sendable {
    let number: Int

    func hash(into hasher: inout Hasher) {
        hasher.combine(number % 16)
    }
}

final class Box: Sendable {
    let number: Int

    init(_ number: Int) {
        self.number = number
    }
}

/// SplitMix64 (Steele, Lea and Flood, 2014).
struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }
}
