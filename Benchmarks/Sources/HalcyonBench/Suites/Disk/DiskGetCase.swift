internal import CReferences
internal import HalcyonStore

/// Reading a body that is there.
struct DiskGetCase: PairedCase {
    let body: DiskSuite.BodySize
    let entryCount: Int

    var name: String { "DiskCache get, \(body.name)" }
    var unit: TimeUnit { .microseconds }
    var measures: [Measure] { [Measure(clock: .wall, budget: 1.5)] }

    func contest() throws -> Contest {
        let fixture = try DiskFixture(bodySize: body.count, count: entryCount)
        try fixture.fill()
        // Another order than that of storing, the same for both.
        var random = SeededRandom(seed: 9)
        let order = fixture.keys.indices.shuffled(using: &random)
        let bodySize = body.count
        return Contest(
            ours: Contender("DiskCache") { count in
                var bytes = 0
                for index in 0..<count {
                    bytes += fixture.cache.get(fixture.keys[order[index % order.count]])?.body.count ?? 0
                }
                guard bytes == count * bodySize else { throw BenchmarkError("not every look-up was a hit") }
            },
            references: [
                Contender("open, fstat, read, close") { count in
                    var bytes = 0
                    for index in 0..<count {
                        bytes += Int(halcyon_reference_read_file(fixture.files[order[index % order.count]]))
                    }
                    guard bytes == count * bodySize else { throw BenchmarkError("not every file was read") }
                }
            ]
        )
    }
}
