internal import HalcyonStore

/// Evicting the least recently used of a million entries, whose bodies lie in the index: what an entry takes without its
/// file.
struct DiskEvictCase: BenchmarkCase {
    let entries: ManyEntries

    var name: String { "DiskCache evict, \(entries.name)" }

    func results(_ settings: RunSettings) throws -> [BenchmarkResult] {
        let cache = DiskCache(try entries.configuration())
        let batchSize = entries.batchSize(settings)
        var samples: [Double] = []
        // The first one opens the cache and fills its pages.
        for number in 0...settings.samples {
            let start = TimeSample.now
            let count = try cache.evict(batchSize)
            let elapsed = (TimeSample.now - start).wall
            guard count > 0 else { throw BenchmarkError("\(name): nothing was evicted") }
            if number > 0 { samples.append(elapsed / 1e3 / Double(count)) }
        }
        try cache.close()
        return [.limit(name, Distribution(samples), 20, unit: TimeUnit.microseconds.rawValue)]
    }
}

extension ManyEntries {
    /// About how many go for one sample: few enough that all samples take at most a tenth.
    func batchSize(_ settings: RunSettings) -> Int {
        max(1, min(2_000, count / (10 * (settings.samples + 1))))
    }
}

extension DiskCache {
    /// Evicts about `count` entries, and returns how many they were.
    func evict(_ count: Int) throws -> Int {
        let statistics = try statistics()
        return try trim(to: statistics.bytes - count * (statistics.bytes / max(1, statistics.count)))
    }
}
