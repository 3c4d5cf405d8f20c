internal import HalcyonStore

/// Storing a value in place of an earlier one.
struct MemoryReplaceCase: PairedCase {
    let work: MemoryWork

    var name: String { work.name("MemoryCache replace") }
    var unit: TimeUnit { .nanoseconds }
    var processorCount: Int { work.threadCount }

    func contest() throws -> Contest {
        switch work.keyOrigin {
        case .ready: contest(ReadyKeys(MemorySuite.entryCount))
        case .url: contest(try URLKeys(MemorySuite.entryCount))
        }
    }

    @inline(__always)
    private func contest<Keys: MemoryKeys>(_ keys: Keys) -> Contest {
        let (cache, dictionary) = MemorySuite.filled(keys)
        let list = LockedLeastRecentlyUsed<Keys.Key, CachedObject>(countLimit: keys.count)
        let objects = (0..<keys.count).map { CachedObject($0) }
        for (number, object) in objects.enumerated() {
            list.insert(object, for: keys.key(number))
        }
        return Contest(
            ours: work.contender("MemoryCache", keyCount: keys.count) {
                cache.store(objects[$0], for: keys.key($0), cost: 1) ? 1 : 0
            },
            references: [
                work.contender("Dictionary under a Mutex", keyCount: keys.count) {
                    dictionary.insert(objects[$0], for: keys.key($0))
                    return 1
                },
                work.contender("dictionary and list under a Mutex", keyCount: keys.count) {
                    list.insert(objects[$0], for: keys.key($0))
                    return 1
                },
            ]
        )
    }
}
