import HalcyonStore
import HalcyonSystem
import HalcyonTesting
import Testing

@Suite("The weak tier of the memory cache")
struct MemoryCacheWeakTierTests {
    struct Picture: Sendable {
        let buffer: Box
    }

    let clock = ManualStoreClock()
    let cache: MemoryCache<Int, Picture>

    init() {
        cache = MemoryCache(
            costLimit: 100,
            clock: clock.clock,
            weakReference: { picture in WeakValue(picture.buffer) { Picture(buffer: $0) } }
        )
    }

    @Test("an evicted value is found while something else keeps its object alive, and has its place again")
    func foundAgain() {
        let shown = Box(1)
        cache.store(Picture(buffer: shown), for: 1, cost: 100)
        cache.store(Picture(buffer: Box(2)), for: 2, cost: 100)
        #expect(cache.statistics.count == 1)
        #expect(cache.contains(1))
        #expect(cache.entry(for: 1)?.buffer === shown)
        #expect(cache.statistics.cost == 100)
        #expect(cache.statistics.hits == 1)
        #expect(!cache.contains(2), "nothing else held it")
        #expect(cache.brokenInvariants().isEmpty)
    }

    @Test("an evicted value that is found again expires as the look-up says")
    func extending() {
        let shown = Box(1)
        func storeAndEvict() {
            cache.store(Picture(buffer: shown), for: 1, cost: 100, expiration: .seconds(10))
            cache.store(Picture(buffer: Box(2)), for: 2, cost: 100)
        }
        storeAndEvict()
        clock.advance(by: 6)
        #expect(cache.entry(for: 1, extending: .none)?.buffer === shown)
        clock.advance(by: 6)
        #expect(cache.entry(for: 1) == nil)
        storeAndEvict()
        #expect(cache.entry(for: 1, extending: .to(.seconds(100)))?.buffer === shown)
        clock.advance(by: 50)
        #expect(cache.entry(for: 1)?.buffer === shown)
    }

    @Test("a look-up of a key that was never stored counts as one miss")
    func oneMiss() {
        #expect(cache.entry(for: 1) == nil)
        #expect(cache.statistics.misses == 1)
        #expect(cache.statistics.hits == 0)
    }

    @Test("an evicted value is gone once nothing keeps its object alive")
    func goneWithItsObject() {
        weak var object: Box?
        do {
            let shown = Box(1)
            object = shown
            cache.store(Picture(buffer: shown), for: 1, cost: 100)
            cache.store(Picture(buffer: Box(2)), for: 2, cost: 100)
            withExtendedLifetime(shown) {}
        }
        #expect(object == nil)
        #expect(cache.entry(for: 1) == nil)
        cache.removeExpired()
        #expect(cache.statistics.weakCount == 0)
    }

    @Test("a removed or replaced value does not come back")
    func removed() {
        let shown = Box(1)
        cache.store(Picture(buffer: shown), for: 1, cost: 100)
        cache.store(Picture(buffer: Box(2)), for: 2, cost: 100)
        cache.remove(for: 1)
        #expect(cache.entry(for: 1) == nil)
        cache.store(Picture(buffer: shown), for: 1, cost: 100)
        cache.store(Picture(buffer: Box(2)), for: 2, cost: 100)
        cache.removeAll()
        #expect(cache.entry(for: 1) == nil)
        let newer = Box(3)
        cache.store(Picture(buffer: shown), for: 1, cost: 100)
        cache.store(Picture(buffer: newer), for: 1, cost: 100)
        cache.store(Picture(buffer: Box(2)), for: 2, cost: 100)
        #expect(cache.entry(for: 1)?.buffer === newer)
    }

    @Test("an evicted value expires like any other")
    func expires() {
        let shown = Box(1)
        cache.store(Picture(buffer: shown), for: 1, cost: 100)
        cache.store(Picture(buffer: Box(2)), for: 2, cost: 100)
        clock.advance(by: 300)
        #expect(cache.entry(for: 1) == nil)
        withExtendedLifetime(shown) {}
    }

    /// What is kept beside the object by which a value is found again.
    private final class Companion: Sendable {
        private let freedCount: Lock<Int>

        init(_ freedCount: Lock<Int>) { self.freedCount = freedCount }

        deinit { freedCount.withLock { $0 += 1 } }
    }

    @Test("what a trim frees leaves nothing behind by which it would be found again")
    func trimmed() {
        let freedCount = Lock(0)
        let cache = MemoryCache<Int, Picture>(
            costLimit: 100,
            clock: clock.clock,
            weakReference: { picture in
                let companion = Companion(freedCount)
                return WeakValue(picture.buffer) { buffer in
                    withExtendedLifetime(companion) { Picture(buffer: buffer) }
                }
            }
        )
        let shown = Box(2)
        cache.store(Picture(buffer: Box(1)), for: 1, cost: 50)
        cache.store(Picture(buffer: shown), for: 2, cost: 50)
        cache.trim()
        #expect(freedCount.withLock { $0 } == 1)
        #expect(cache.statistics.weakCount == 1)
        #expect(cache.entry(for: 2)?.buffer === shown)
        #expect(cache.brokenInvariants().isEmpty)
    }
}
