internal import HalcyonStore

/// Look-ups that find nothing.
struct MemoryMissCase: PairedCase {
    let work: MemoryWork

    var name: String { work.name("MemoryCache miss") }
    var unit: TimeUnit { .nanoseconds }
    var processorCount: Int { work.threadCount }

    func contest() throws -> Contest {
        let count = MemorySuite.entryCount
        return switch work.keyOrigin {
        case .ready: contest(ReadyKeys(count), absent: ReadyKeys(count, seed: 3))
        case .url: contest(try URLKeys(count), absent: try URLKeys(count, seed: 3))
        }
    }

    @inline(__always)
    private func contest<Keys: MemoryKeys>(_ keys: Keys, absent: Keys) -> Contest {
        let (cache, dictionary) = MemorySuite.filled(keys)
        return Contest(
            ours: work.contender("MemoryCache", keyCount: absent.count) {
                cache.entry(for: absent.key($0)) == nil ? 0 : 1
            },
            references: [
                work.contender("Dictionary under a Mutex", keyCount: absent.count) {
                    dictionary.value(for: absent.key($0)) == nil ? 0 : 1
                }
            ]
        )
    }
}
