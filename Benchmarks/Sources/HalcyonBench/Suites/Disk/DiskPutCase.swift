internal import CReferences
internal import FoundationEssentials
internal import Glibc
internal import HalcyonStore

/// Storing a body in place of an earlier one.
///
/// In memory, where the system has such a folder: what a disk takes to write a file varies by a factor of two.
struct DiskPutCase: PairedCase {
    let body: DiskSuite.BodySize
    let entryCount: Int

    var name: String { "DiskCache put, \(body.name)" }
    var unit: TimeUnit { .microseconds }

    func contest() throws -> Contest {
        let shared = "/dev/shm"
        let fixture = try DiskFixture(
            bodySize: body.count,
            count: entryCount,
            base: access(shared, W_OK) == 0 ? shared : nil
        )
        // Each side goes round by itself.
        var (ours, theirs) = (0, 0)
        return Contest(
            ours: Contender("DiskCache") { count in
                for _ in 0..<count {
                    ours += 1
                    try fixture.cache.put(fixture.keys[ours % fixture.keys.count], body: fixture.body)
                }
            },
            references: [
                Contender("temporary file + rename, no fsync") { count in
                    let temporary = fixture.folder.file("temporary")
                    try fixture.body.withUnsafeBytes { bytes in
                        for _ in 0..<count {
                            theirs += 1
                            let file = fixture.files[theirs % fixture.files.count]
                            guard halcyon_reference_write_file(file, temporary, bytes.baseAddress, bytes.count) == 0
                            else { throw BenchmarkError("\(file) cannot be written") }
                        }
                    }
                }
            ]
        )
    }
}
