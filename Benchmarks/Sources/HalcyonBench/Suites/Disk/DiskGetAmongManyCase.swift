internal import CReferences
internal import HalcyonStore

/// Reading a body that is there, among a million entries, against the same among a thousand.
struct DiskGetAmongManyCase: PairedCase {
    let reads: DiskReads
    let entries: ManyEntries

    var name: String { reads.name("DiskCache get, \(reads.body.name), \(entries.name)") }
    var unit: TimeUnit { .microseconds }
    var processorCount: Int { reads.threadCount }
    var measures: [Measure] { [Measure(clock: .wall, budget: 1.1)] }

    func contest() throws -> Contest {
        let fixture = try DiskFixture(bodySize: reads.body.count, count: reads.body.entryCount)
        try fixture.fill()
        try fixture.fillUp(to: 1_000)
        let cache = DiskCache(try entries.configuration())
        try fixture.store(in: cache)
        return Contest(
            ours: reads.contender("DiskCache") { cache.entry(for: fixture.keys[$1])?.body.count ?? 0 },
            references: [
                reads.contender("DiskCache with 1,000 entries") {
                    fixture.cache.entry(for: fixture.keys[$1])?.body.count ?? 0
                },
                reads.contender("open, fstat, read, close") { Int(halcyon_reference_read_file(fixture.files[$1])) },
            ]
        )
    }
}
