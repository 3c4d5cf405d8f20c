import Glibc
import HalcyonStore
import HalcyonTesting
import Testing

@Suite("Threads in the memory cache")
struct MemoryCacheConcurrencyTests {
    @Test("a removal by a predicate finds what was admitted before it")
    func removalDuringStore() {
        for _ in 0..<20 {
            let cache = MemoryCache<Int, Box>(costLimit: 100)
            let (isAdmitted, isRemoved) = (Gate(), Gate())
            runOnThreads(2) { thread in
                guard thread == 0 else {
                    isAdmitted.block()
                    cache.removeAll { _ in true }
                    return isRemoved.open()
                }
                _ = cache.store(Box(1), for: 1, cost: 1) {
                    isAdmitted.open()
                    // No longer: the removal waits for the store.
                    for _ in 0..<1_000 where !isRemoved.isOpen { sched_yield() }
                    return true
                }
            }
            #expect(!cache.contains(1))
        }
    }

    @Test("four threads that store, look up, remove and change limits leave exact sums and right values")
    func hammer() {
        let cache = MemoryCache<Int, Box>(
            costLimit: 2_000,
            countLimit: 150,
            weakReference: { WeakValue($0) { $0 } }
        )
        runOnThreads(4) { thread in
            var random = SeededGenerator(state: UInt64(thread))
            var shown: [Box] = []
            for step in 0..<20_000 {
                let number = Int.random(in: 0..<400, using: &random)
                switch Int.random(in: 0..<100, using: &random) {
                case 0..<40:
                    let box = Box(number)
                    if step % 7 == 0 { shown.append(box) }
                    cache.store(box, for: number, cost: number % 50)
                case 40..<90:
                    if let box = cache.entry(for: number), box.number != number { Issue.record("wrong value") }
                case 90..<96: cache.remove(for: number)
                case 96..<97: cache.removeExpired()
                case 97..<98: shown.removeAll()
                case 98..<99: cache.costLimit = 1_000 + number
                default: _ = cache.statistics
                }
            }
        }
        #expect(cache.brokenInvariants().isEmpty)
    }

    @Test("a value whose end calls the cache does not deadlock")
    func reentrantDeinit() {
        final class Caller: Sendable {
            let end: @Sendable () -> Void
            init(end: @escaping @Sendable () -> Void) { self.end = end }
            deinit { end() }
        }
        let cache = MemoryCache<Int, Caller>(costLimit: 2)
        for number in 0..<10 {
            cache.store(Caller { [weak cache] in _ = cache?.entry(for: 0) }, for: number % 4, cost: 1)
        }
        cache.remove(for: 9 % 4)
        cache.removeAll()
        #expect(cache.statistics.count == 0)
    }
}

/// Runs `body` on so many threads at once and waits for them.
func runOnThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
    final class Work: Sendable {
        let run: @Sendable () -> Void
        init(run: @escaping @Sendable () -> Void) { self.run = run }
    }
    let threads = (0..<count).map { number in
        var thread = pthread_t()
        let work = Unmanaged.passRetained(Work { body(number) })
        let result = pthread_create(
            &thread,
            nil,
            { argument in
                // Never null: it is what was passed below.
                if let argument { Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().run() }
                return nil
            },
            work.toOpaque()
        )
        precondition(result == 0)
        return thread
    }
    for thread in threads { pthread_join(thread, nil) }
}
