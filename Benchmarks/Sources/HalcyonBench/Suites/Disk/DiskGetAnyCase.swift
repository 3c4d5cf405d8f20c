internal import HalcyonStore

/// Reading small bodies from all over a million entries, no two of them near each other, against the same among a
/// thousand. What is read once in a million look-ups is in no cache of the processor.
struct DiskGetAnyCase: PairedCase {
    let entries: ManyEntries

    var name: String { "DiskCache get, any of \(entries.name)" }
    var unit: TimeUnit { .microseconds }

    func contest() throws -> Contest {
        let fixture = try DiskFixture(bodySize: ManyEntries.body.count, count: 1_000)
        try fixture.fill()
        let cache = DiskCache(try entries.configuration())
        var random = SeededRandom(seed: 12)
        // The oldest tenth is what the cases of eviction take.
        let keys = Array(entries.keys.dropFirst(entries.count / 10).shuffled(using: &random).prefix(100_000))
        var (place, other) = (0, 0)
        return Contest(
            ours: Contender("DiskCache") { count in
                for _ in 0..<count {
                    guard cache.entry(for: keys[place]) != nil else { throw BenchmarkError("an entry is gone") }
                    place = (place + 1) % keys.count
                }
            },
            references: [
                Contender("DiskCache with 1,000 entries") { count in
                    for _ in 0..<count {
                        guard fixture.cache.entry(for: fixture.keys[other]) != nil else {
                            throw BenchmarkError("an entry is gone")
                        }
                        other = (other + 1) % fixture.keys.count
                    }
                }
            ]
        )
    }
}
