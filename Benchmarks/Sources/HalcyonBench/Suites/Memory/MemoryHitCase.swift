internal import HalcyonStore

/// Look-ups that find something, in another order than that of storing.
struct MemoryHitCase: PairedCase {
    let work: MemoryWork

    var name: String { work.name("MemoryCache hit") }
    var unit: TimeUnit { .nanoseconds }
    var processorCount: Int { work.threadCount }
    var measures: [Measure] { [Measure(clock: .wall, budget: budget)] }

    /// The design names keys that are ready.
    private var budget: Double? {
        work.keyOrigin == .ready ? (work.threadCount == 1 ? 1 : 0.5) : nil
    }

    func contest() throws -> Contest {
        switch work.keyOrigin {
        case .ready: contest(ReadyKeys(MemorySuite.entryCount))
        case .url: contest(try URLKeys(MemorySuite.entryCount))
        }
    }

    @inline(__always)
    private func contest<Keys: MemoryKeys>(_ keys: Keys) -> Contest {
        let (cache, dictionary) = MemorySuite.filled(keys)
        return Contest(
            ours: work.contender("MemoryCache", keyCount: keys.count) { cache.entry(for: keys.key($0))?.number ?? 0 },
            references: [
                work.contender("Dictionary under a Mutex", keyCount: keys.count) {
                    dictionary.value(for: keys.key($0))?.number ?? 0
                }
            ]
        )
    }
}
