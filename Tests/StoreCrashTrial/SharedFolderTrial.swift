internal import FoundationEssentials
internal import Glibc
internal import HalcyonStore

/// One of several processes that use one folder at the same time.
struct SharedFolderTrial {
    /// What the cache may hold: less than all the entries the trial knows, so that something is always evicted.
    static let sizeLimit = 1_500_000
    private static let entryCount = 200
    private let cache: DiskCache
    private let seed: Int

    init(folder: String, seed: Int) {
        var configuration = DiskCache.Configuration(folder: folder)
        configuration.sizeLimit = Self.sizeLimit
        configuration.touchLimit = 64
        cache = DiskCache(configuration)
        self.seed = seed
    }

    func run(steps: Int) throws {
        let threads = (0..<2).map { thread in
            Thread.start { try run(steps: steps, seed: seed &* 31 &+ thread) }
        }
        for thread in threads { pthread_join(thread, nil) }
        try cache.close()
    }

    private func run(steps: Int, seed: Int) throws {
        var state = UInt64(truncatingIfNeeded: seed) &* 0x9e37_79b9_7f4a_7c15 | 1
        func random(_ count: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int((state >> 33) % UInt64(count))
        }
        for _ in 0..<steps {
            let entry = TrialEntry(random(Self.entryCount))
            switch random(1_000) {
            case 0..<400:
                try cache.store(
                    entry.body,
                    for: entry.key,
                    metadata: entry.metadata,
                    durability: random(2) == 0 ? .none : .normal
                )
            case 400..<900:
                if let found = cache.entry(for: entry.key), found.body != entry.body || found.metadata != entry.metadata
                {
                    throw TrialError("wrong bytes for \(entry.key)")
                }
            case 900..<940: try cache.remove(for: entry.key)
            case 940..<960: _ = try cache.updateMetadata(entry.metadata, for: entry.key)
            case 960..<975: try cache.flush()
            case 975..<985: try cache.trim(to: Self.sizeLimit / 2)
            case 985..<990: try cache.removeExpired()
            case 990..<993: _ = try cache.removeEntries(prefix: "trial/1")
            case 993..<994: try cache.removeAll()
            default:
                let bytes = try cache.statistics().bytes
                // Each writer may have an entry committed whose store has not evicted yet.
                guard bytes <= Self.sizeLimit + 16 * 50_000 else {
                    throw TrialError("\(bytes) bytes are above the limit")
                }
            }
        }
    }
}
