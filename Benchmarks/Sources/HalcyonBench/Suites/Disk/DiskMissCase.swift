internal import CReferences
internal import HalcyonStore

/// Looking for what is not there, among a thousand entries or a million.
struct DiskMissCase: PairedCase {
    /// The million; nil for a thousand.
    var entries: ManyEntries?

    var name: String { entries.map { "DiskCache miss, \($0.name)" } ?? "DiskCache miss" }
    var unit: TimeUnit { .microseconds }
    var measures: [Measure] { [Measure(clock: .wall, budget: entries == nil ? nil : 1.1)] }

    func contest() throws -> Contest {
        let fixture = try DiskFixture(bodySize: 4_000, count: 1_000)
        try fixture.fill()
        let absent = BenchmarkURLs.texts(1_000, seed: 10)
        let absentFiles = (0..<1_000).map { fixture.folder.file("absent-\($0)") }
        let thousand = contender("DiskCache", fixture.cache, absent)
        let file = Contender("open of no file") { count in
            for index in 0..<count
            where halcyon_reference_read_file(absentFiles[index % absentFiles.count]) >= 0 {
                throw BenchmarkError("a file is there that was never written")
            }
            withExtendedLifetime(fixture) {}
        }
        guard let entries else { return Contest(ours: thousand, references: [file]) }
        return Contest(
            ours: contender("DiskCache", DiskCache(try entries.configuration()), absent),
            references: [contender("DiskCache with 1,000 entries", fixture.cache, absent), file]
        )
    }

    private func contender(_ name: String, _ cache: DiskCache, _ absent: [String]) -> Contender {
        Contender(name) { count in
            for index in 0..<count where cache.entry(for: absent[index % absent.count]) != nil {
                throw BenchmarkError("a look-up found what was never stored")
            }
        }
    }
}
