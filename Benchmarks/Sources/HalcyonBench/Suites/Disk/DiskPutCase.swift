internal import CReferences
internal import FoundationEssentials
internal import Glibc
internal import HalcyonStore

/// Storing a body in place of an earlier one, against writing a file of equal durability.
struct DiskPutCase: PairedCase {
    /// Where the bodies go.
    enum Place {
        /// The folder for temporary files, on a device as a rule. What that takes to write a file varies by a factor
        /// of two.
        case device
        /// A file system in memory, where the system has one: what the calls take without a device.
        case memory
    }

    let body: DiskSuite.BodySize
    let durability: DiskCache.Durability
    let place: Place

    var name: String {
        "DiskCache put, \(body.name), durability \(durability)" + (place == .memory ? ", in memory" : "")
    }
    var unit: TimeUnit { .microseconds }
    /// Three times as fast as a file for what fits into the index, and not slower for what is a file itself.
    var measures: [Measure] {
        [Measure(clock: .wall, budget: place == .memory ? nil : body.count <= Self.inlineLimit ? 1.0 / 3 : 1)]
    }

    /// The cache's default.
    private static let inlineLimit = 16_384

    func contest() throws -> Contest {
        let shared = "/dev/shm"
        let fixture = try DiskFixture(
            bodySize: body.count,
            count: min(body.entryCount, 1_000),
            base: place == .memory && access(shared, W_OK) == 0 ? shared : nil
        )
        return Contest(ours: ours(fixture), references: [file(fixture), try store(fixture)])
    }

    private func ours(_ fixture: DiskFixture) -> Contender {
        var (number, body) = (0, NumberedBody(size: body.count))
        return Contender("DiskCache") { count in
            for _ in 0..<count {
                number += 1
                try fixture.cache.store(
                    body.next(),
                    for: fixture.keys[number % fixture.keys.count],
                    durability: durability
                )
            }
            // What is staged counts: else a sample would leave the work to the next.
            if durability == .none { try fixture.cache.flush() }
        }
    }

    private func file(_ fixture: DiskFixture) -> Contender {
        let isDurable = durability == .full
        let (temporary, folder) = (fixture.folder.file("temporary"), fixture.folder.path)
        var (number, body) = (0, NumberedBody(size: body.count))
        return Contender("temporary file + rename, \(isDurable ? "fsync of file and folder" : "no fsync")") { count in
            for _ in 0..<count {
                number += 1
                let file = fixture.files[number % fixture.files.count]
                let code = body.next().withUnsafeBytes { bytes in
                    isDurable
                        ? halcyon_reference_write_file_durably(file, temporary, folder, bytes.baseAddress, bytes.count)
                        : halcyon_reference_write_file(file, temporary, bytes.baseAddress, bytes.count)
                }
                guard code == 0 else { throw BenchmarkError("\(file) cannot be written") }
            }
        }
    }

    private func store(_ fixture: DiskFixture) throws -> Contender {
        let store = try ReferenceStore(fixture.folder.file("store.sqlite"), isDurable: durability == .full)
        // What is larger is a file of its own, which the cache puts off no more.
        let batch = durability == .none && body.count <= Self.inlineLimit ? 128 : 1
        var (number, body) = (0, NumberedBody(size: body.count))
        return Contender("SQLite insert, \(batch == 1 ? "a transaction each" : "128 in a transaction")") { count in
            for first in stride(from: 0, to: count, by: batch) {
                try store.transaction {
                    for _ in first..<min(first + batch, count) {
                        number += 1
                        try store.put(fixture.keys[number % fixture.keys.count], body.next())
                    }
                }
            }
        }
    }
}
