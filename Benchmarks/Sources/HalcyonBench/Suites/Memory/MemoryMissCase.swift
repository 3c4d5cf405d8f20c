internal import HalcyonStore

/// Look-ups that find nothing.
struct MemoryMissCase: PairedCase {
    var name: String { "MemoryCache miss" }
    var unit: TimeUnit { .nanoseconds }

    func contest() -> Contest {
        let cache = MemoryCache<DigestKey, CachedObject>()
        var values: [DigestKey: CachedObject] = [:]
        for (number, key) in DigestKey.keys(MemorySuite.entryCount).enumerated() {
            let object = CachedObject(number)
            cache.insert(object, for: key, cost: 1)
            values[key] = object
        }
        let dictionary = LockedDictionary(values)
        let absent = DigestKey.keys(MemorySuite.entryCount, seed: 3)
        return Contest(
            ours: Contender("MemoryCache") { count in
                var found = 0
                for index in 0..<count where cache.value(for: absent[index % absent.count]) != nil { found += 1 }
                blackHole(found)
            },
            references: [
                Contender("Dictionary under a Mutex") { count in
                    var found = 0
                    for index in 0..<count where dictionary.value(for: absent[index % absent.count]) != nil {
                        found += 1
                    }
                    blackHole(found)
                }
            ]
        )
    }
}
