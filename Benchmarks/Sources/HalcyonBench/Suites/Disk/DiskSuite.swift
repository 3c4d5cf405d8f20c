/// The cache on disk against plain files.
struct DiskSuite: BenchmarkSuite {
    static let name = "disk"
    static let summary = "reads, writes, misses and opening, the files in the system's cache"

    let cases: [any BenchmarkCase]

    init(_ options: SuiteOptions) {
        cases =
            [
                DiskGetCase(body: .init("4 kB", 4_000), entryCount: 1_000),
                DiskGetCase(body: .init("20 kB", 20_000), entryCount: 1_000),
                DiskGetCase(body: .init("100 kB", 100_000), entryCount: 500),
                DiskGetCase(body: .init("1 MB", 1_000_000), entryCount: 50),
                DiskMissCase(),
                DiskPutCase(body: .init("4 kB", 4_000), entryCount: 1_000),
                DiskPutCase(body: .init("1 MB", 1_000_000), entryCount: 32),
                DiskOpenCase(),
            ]
    }

    /// A size, and what a row calls it.
    struct BodySize {
        let name: String
        let count: Int

        init(_ name: String, _ count: Int) {
            self.name = name
            self.count = count
        }
    }
}
