internal import CReferences
internal import HalcyonStore

/// Reading a body that is there, among 1,000 entries.
struct DiskGetCase: PairedCase {
    let reads: DiskReads

    var name: String { reads.name("DiskCache get, \(reads.body.name)") }
    var unit: TimeUnit { .microseconds }
    var processorCount: Int { reads.threadCount }
    var measures: [Measure] { [Measure(clock: .wall, budget: 1.5)] }

    func contest() throws -> Contest {
        let fixture = try DiskFixture(bodySize: reads.body.count, count: reads.body.entryCount)
        try fixture.fill()
        try fixture.fillUp(to: 1_000)
        let store = try fixture.makeReferenceStore()
        let stores = [store] + (try (1..<reads.threadCount).map { _ in try ReferenceStore(store.path) })
        return Contest(
            ours: reads.contender("DiskCache") { fixture.cache.entry(for: fixture.keys[$1])?.body.count ?? 0 },
            references: [
                reads.contender("open, fstat, read, close") { Int(halcyon_reference_read_file(fixture.files[$1])) },
                reads.contender("SQLite select") { stores[$0].get(fixture.keys[$1]) },
            ]
        )
    }
}
