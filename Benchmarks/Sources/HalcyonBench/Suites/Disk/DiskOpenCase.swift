internal import CReferences
internal import HalcyonStore

/// Opening a cache that is there, and closing it.
struct DiskOpenCase: PairedCase {
    /// The million; nil for a thousand.
    var entries: ManyEntries?

    var name: String { "DiskCache open, \(entries?.name ?? "1,000 entries")" }
    var unit: TimeUnit { .microseconds }

    func results(_ settings: RunSettings) async throws -> [BenchmarkResult] {
        let results = try await PairedRun(settings).results(of: self)
        guard entries != nil, let first = results.first else { return results }
        return [.limit(name, Distribution([first.ours]), 50_000, unit: unit.rawValue)] + results
    }

    func contest() throws -> Contest {
        let fixture = try DiskFixture(bodySize: 4_000, count: 1_000)
        if entries == nil { try fixture.fill() }
        try fixture.cache.close()
        let configuration = try entries?.configuration() ?? .init(folder: fixture.cache.folder)
        let index = configuration.folder + "/v3/index.sqlite"
        return Contest(
            ours: Contender("DiskCache") { count in
                for _ in 0..<count {
                    let cache = DiskCache(configuration)
                    try cache.open()
                    try cache.close()
                }
                withExtendedLifetime(fixture) {}
            },
            references: [
                Contender("sqlite3_open, first row, close") { count in
                    for _ in 0..<count where halcyon_reference_open_sqlite(index) < 1 {
                        throw BenchmarkError("\(index) cannot be opened")
                    }
                }
            ]
        )
    }
}
