internal import CReferences

/// Looking for what is not there, among 1,000 entries.
struct DiskMissCase: PairedCase {
    var name: String { "DiskCache miss" }
    var unit: TimeUnit { .microseconds }

    func contest() throws -> Contest {
        let fixture = try DiskFixture(bodySize: 4_000, count: 1_000)
        try fixture.fill()
        let absent = try BenchmarkURLs.make(1_000, seed: 10).map(\.absoluteString)
        let absentFiles = (0..<1_000).map { fixture.folder.file("absent-\($0)") }
        return Contest(
            ours: Contender("DiskCache") { count in
                for index in 0..<count where fixture.cache.get(absent[index % absent.count]) != nil {
                    throw BenchmarkError("a look-up found what was never stored")
                }
            },
            references: [
                Contender("open of no file") { count in
                    for index in 0..<count
                    where halcyon_reference_read_file(absentFiles[index % absentFiles.count]) >= 0 {
                        throw BenchmarkError("a file is there that was never written")
                    }
                }
            ]
        )
    }
}
