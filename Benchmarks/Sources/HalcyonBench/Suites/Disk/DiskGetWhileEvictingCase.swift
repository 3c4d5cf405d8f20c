internal import HalcyonStore
internal import Synchronization

/// Reading bodies of 4 kB on one thread while another evicts from a million entries, against the same while it rests.
struct DiskGetWhileEvictingCase: BenchmarkCase {
    let entries: ManyEntries

    var name: String { "DiskCache get, 4 kB, while evicting, \(entries.name)" }

    func results(_ settings: RunSettings) throws -> [BenchmarkResult] {
        let fixture = try DiskFixture(bodySize: 4_000, count: 1_000)
        let cache = DiskCache(try entries.configuration())
        try fixture.store(in: cache)
        var (busy, quiet): ([Distribution], [Distribution]) = ([], [])
        let batchSize = entries.batchSize(settings)
        _ = try measure(cache, fixture.keys, evicting: batchSize)
        for _ in 0..<settings.samples {
            busy.append(try measure(cache, fixture.keys, evicting: 2 * batchSize))
            quiet.append(try measure(cache, fixture.keys, evicting: 0))
        }
        try cache.close()
        return [("median", 0.5), ("99 of 100 below", 0.99), ("longest", 1)].map { name, part in
            .pairs(
                "\(self.name): \(name)",
                busy.map { $0.quantile(part) / 1e3 },
                "the same without evicting",
                quiet.map { $0.quantile(part) / 1e3 },
                unit: TimeUnit.microseconds.rawValue
            )
        }
    }

    /// The times of look-ups for as long as eviction takes, or of 10,000.
    private func measure(_ cache: DiskCache, _ keys: [String], evicting count: Int) throws -> Distribution {
        let outcome = Outcome()
        PairOfThreads.run { thread in
            if thread == 0 {
                outcome.hasEvicted = count == 0 || (try? cache.evict(count)).map { $0 > 0 } == true
                outcome.isOver.store(true, ordering: .releasing)
                return
            }
            var place = 0
            var last = TimeSample.monotonic
            while count == 0 ? place < 10_000 : !outcome.isOver.load(ordering: .acquiring) || place == 0 {
                blackHole(cache.entry(for: keys[place % keys.count]))
                let now = TimeSample.monotonic
                outcome.times.append(now - last)
                last = now
                place += 1
            }
        }
        guard outcome.hasEvicted else { throw BenchmarkError("\(name): nothing was evicted") }
        return Distribution(outcome.times)
    }

    /// What the two threads leave.
    ///
    /// Unchecked: each variable is written by one thread, and read after both have ended.
    private final class Outcome: @unchecked Sendable {
        let isOver = Atomic(false)
        var hasEvicted = false
        var times: [Double] = []
    }
}
