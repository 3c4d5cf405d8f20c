internal import HalcyonStore

/// Look-ups that find something, with the key ready, in another order than that of storing.
struct MemoryHitCase: PairedCase {
    let threadCount: Int

    var name: String { threadCount == 1 ? "MemoryCache hit" : "MemoryCache hit, two threads" }
    var unit: TimeUnit { .nanoseconds }
    var processorCount: Int { threadCount }
    var measures: [Measure] { [Measure(clock: .wall, budget: threadCount == 1 ? 1 : 0.2)] }

    func contest() -> Contest {
        let keys = DigestKey.keys(MemorySuite.entryCount)
        let cache = MemoryCache<DigestKey, CachedObject>()
        var values: [DigestKey: CachedObject] = [:]
        for (number, key) in keys.enumerated() {
            let object = CachedObject(number)
            cache.insert(object, for: key, cost: 1)
            values[key] = object
        }
        let dictionary = LockedDictionary(values)
        var random = SeededRandom(seed: 2)
        let order = keys.shuffled(using: &random)
        return Contest(
            ours: contender("MemoryCache") { Self.sum(order, $0, $1) { cache.value(for: $0)?.number } },
            references: [
                contender("Dictionary under a Mutex") { Self.sum(order, $0, $1) { dictionary.value(for: $0)?.number } }
            ]
        )
    }

    private func contender(_ name: String, _ work: @escaping @Sendable (_ thread: Int, _ count: Int) -> Int)
        -> Contender
    {
        let threadCount = threadCount
        return Contender(name) { count in
            if threadCount == 1 {
                blackHole(work(0, count))
            } else {
                PairOfThreads.run { thread in blackHole(work(thread, count)) }
            }
        }
    }

    /// Looks up `count` keys. Inlined, so that either cache is specialised as in a program.
    @inline(__always)
    private static func sum(_ keys: [DigestKey], _ thread: Int, _ count: Int, _ look: (DigestKey) -> Int?) -> Int {
        var sum = 0
        // Threads that walk in step would share more than threads do.
        var index = thread * keys.count / 2
        for _ in 0..<count {
            sum &+= look(keys[index]) ?? 0
            index += 1
            if index == keys.count { index = 0 }
        }
        return sum
    }
}
