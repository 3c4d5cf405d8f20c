internal import HalcyonStore

/// The cache on disk against plain files and bare SQLite.
struct DiskSuite: BenchmarkSuite {
    static let name = "disk"
    static let summary = "reads, writes, misses, opening and evicting, the files in the system's cache"

    let cases: [any BenchmarkCase]
    private let entries: ManyEntries

    init(_ options: SuiteOptions) {
        let entries = ManyEntries(count: options.entryCount, folder: options.entriesFolder)
        self.entries = entries
        let reads = BodySize.all.flatMap { body in [1, 2].map { DiskReads(threadCount: $0, body: body) } }
        // Evicting comes last: what it takes away is not put back in the same run.
        cases =
            reads.map { DiskGetCase(reads: $0) } + [DiskMissCase()]
            + Self.puts(.device, DiskCache.Durability.allCases) + Self.puts(.memory, [.none, .normal])
            + [DiskOpenCase()]
            + NukeDiskCase.Workload.allCases.map { NukeDiskCase(workload: $0) }
            + reads.map { DiskGetAmongManyCase(reads: $0, entries: entries) }
            + [
                DiskGetAnyCase(entries: entries),
                DiskMissCase(entries: entries),
                DiskOpenCase(entries: entries),
                DiskEvictCase(entries: entries),
                DiskGetWhileEvictingCase(entries: entries),
            ]
    }

    func stop() {
        entries.remove()
    }

    private static func puts(_ place: DiskPutCase.Place, _ durabilities: [DiskCache.Durability]) -> [DiskPutCase] {
        [BodySize.small, .large].flatMap { body in
            durabilities.map { DiskPutCase(body: body, durability: $0, place: place) }
        }
    }

    /// A size, and what a row calls it.
    struct BodySize {
        let name: String
        let count: Int
        /// How many bodies are used in turn: all together stay in the system's cache.
        let entryCount: Int

        static let small = BodySize(name: "4 kB", count: 4_000, entryCount: 1_000)
        static let large = BodySize(name: "1 MB", count: 1_000_000, entryCount: 50)

        static let all = [
            small,
            BodySize(name: "20 kB", count: 20_000, entryCount: 1_000),
            BodySize(name: "100 kB", count: 100_000, entryCount: 500),
            large,
        ]
    }
}
