internal import CReferences
internal import HalcyonStore

/// Opening a cache that is there, and closing it.
struct DiskOpenCase: PairedCase {
    var name: String { "DiskCache open, 1,000 entries" }
    var unit: TimeUnit { .microseconds }

    func contest() throws -> Contest {
        let fixture = try DiskFixture(bodySize: 4_000, count: 1_000)
        try fixture.fill()
        try fixture.cache.close()
        let configuration = DiskCache.Configuration(folder: fixture.cache.folder)
        let index = fixture.cache.folder + "/v3/index.sqlite"
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
