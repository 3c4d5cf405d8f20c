import HalcyonStore
import HalcyonSystem
import HalcyonTesting
import Testing

@Suite("Code of the user that runs when the memory cache lets go")
struct MemoryCacheForeignCodeTests {
    /// Asks the cache for what takes its lock when it is freed, as a view model may that owns an image.
    final class Owner: Sendable {
        private let onEnd: @Sendable () -> Void

        init(onEnd: @escaping @Sendable () -> Void) {
            self.onEnd = onEnd
        }

        deinit { onEnd() }
    }

    struct Value: Sendable {
        let owner: Owner
    }

    typealias Cache = MemoryCache<Int, Value>

    /// A cache, and an owner of which each is freed under whatever lock the cache holds then.
    private func makeCache(limit: Int = 10) -> Cache {
        Cache(
            costLimit: limit,
            weakReference: { value in WeakValue(value.owner) { Value(owner: $0) } }
        )
    }

    @Test("what a weak reference captured is freed with no lock held if its value is refused")
    func refused() {
        let ends = Lock(0)
        let caches = Lock<[MemoryCache<Int, Int>]>([])
        let end: @Sendable () -> Void = {
            _ = caches.withLock { $0 }.first?.statistics
            ends.withLock { $0 += 1 }
        }
        let object = Box(1)
        let cache = MemoryCache<Int, Int>(
            costLimit: 10,
            weakReference: { _ in
                let owner = Owner(onEnd: end)
                return WeakValue(object) { _ in withExtendedLifetime(owner) { 1 } }
            }
        )
        caches.withLock { $0 = [cache] }
        #expect(!cache.store(1, for: 1, cost: 11))
        #expect(ends.withLock { $0 } == 1)
        cache.store(1, for: 1, cost: 10)
        cache.store(1, for: 2, cost: 10)
        cache.removeAll()
        #expect(ends.withLock { $0 } == 3)
        caches.withLock { $0 = [] }
    }

    @Test("an object whose last owner lets go while the cache looks whether it lives is freed with no lock held")
    func looking() {
        let cache = makeCache()
        let ends = Lock(0)
        let rounds = 3_000
        runOnThreads(2) { thread in
            for round in 0..<rounds {
                if thread == 0 {
                    let owner = Owner {
                        _ = cache.statistics
                        ends.withLock { $0 += 1 }
                    }
                    cache.store(Value(owner: owner), for: round % 64, cost: 10)
                    cache.trim()
                } else {
                    cache.removeExpired()
                    _ = cache.contains(round % 64)
                }
            }
        }
        cache.removeAll()
        #expect(ends.withLock { $0 } == rounds)
        #expect(cache.brokenInvariants().isEmpty)
    }
}
