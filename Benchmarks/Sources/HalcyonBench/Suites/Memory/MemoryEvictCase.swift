internal import HalcyonStore

/// Storing a new value in a cache that is full, so that another one has to go.
struct MemoryEvictCase: PairedCase {
    let work: MemoryWork

    var name: String { work.name("MemoryCache insert and evict") }
    var unit: TimeUnit { .nanoseconds }
    var processorCount: Int { work.threadCount }

    func contest() throws -> Contest {
        // So many that a key is long gone when its turn comes again, on the other thread too.
        let count = 16 * MemorySuite.entryCount
        return switch work.keyOrigin {
        case .ready: contest(ReadyKeys(count))
        case .url: contest(try URLKeys(count))
        }
    }

    @inline(__always)
    private func contest<Keys: MemoryKeys>(_ keys: Keys) -> Contest {
        let cache = MemoryCache<Keys.Key, CachedObject>(countLimit: MemorySuite.entryCount)
        let list = LockedLeastRecentlyUsed<Keys.Key, CachedObject>(countLimit: MemorySuite.entryCount)
        let objects = (0..<keys.count).map { CachedObject($0) }
        return Contest(
            ours: work.contender("MemoryCache", keyCount: keys.count) {
                cache.store(objects[$0], for: keys.key($0), cost: 1) ? 1 : 0
            },
            references: [
                work.contender("dictionary and list under a Mutex", keyCount: keys.count) {
                    list.insert(objects[$0], for: keys.key($0))
                    return 1
                }
            ]
        )
    }
}
