internal import CReferences
internal import FoundationEssentials
internal import HalcyonStore

/// The workloads of Nuke's performance tests of its cache on disk, as long as theirs, so that the times can be set beside
/// theirs: bodies of 256 KiB, all different, whose keys are the same in every sample.
struct NukeDiskCase: PairedCase {
    enum Workload: String, CaseIterable {
        case writesAndFlush = "1,000 writes of 256 KiB, one flush"
        case flushes = "200 writes of 256 KiB, each flushed"
        case reads = "1,000 reads of 256 KiB"
        case readsOnTwoThreads = "1,000 reads of 256 KiB, two threads"
    }

    let workload: Workload

    var name: String { "as in Nuke: \(workload.rawValue)" }
    var unit: TimeUnit { .milliseconds }
    var repetitions: Repetitions { .fixed(1) }
    var processorCount: Int { workload == .readsOnTwoThreads ? 2 : 1 }

    func contest() throws -> Contest {
        let fixture = try DiskFixture(bodySize: Self.bodySize, count: workload == .flushes ? 200 : 1_000)
        switch workload {
        case .writesAndFlush, .flushes:
            return Contest(ours: writes(fixture), references: [fileWrites(fixture)])
        case .reads, .readsOnTwoThreads:
            try fixture.fill()
            return Contest(
                ours: reads("DiskCache", fixture) { fixture.cache.entry(for: fixture.keys[$0])?.body.count ?? 0 },
                references: [
                    reads("open, fstat, read, close", fixture) { Int(halcyon_reference_read_file(fixture.files[$0])) }
                ]
            )
        }
    }

    private static let bodySize = 256 * 1_024

    private func writes(_ fixture: DiskFixture) -> Contender {
        var body = NumberedBody(size: Self.bodySize)
        return Contender("DiskCache") { count in
            for _ in 0..<count {
                for key in fixture.keys {
                    try fixture.cache.store(body.next(), for: key, durability: .none)
                    if workload == .flushes { try fixture.cache.flush() }
                }
                try fixture.cache.flush()
            }
        }
    }

    private func fileWrites(_ fixture: DiskFixture) -> Contender {
        var body = NumberedBody(size: Self.bodySize)
        let temporary = fixture.folder.file("temporary")
        return Contender("temporary file + rename, no fsync") { count in
            for _ in 0..<count {
                for file in fixture.files {
                    let code = body.next().withUnsafeBytes { bytes in
                        halcyon_reference_write_file(file, temporary, bytes.baseAddress, bytes.count)
                    }
                    guard code == 0 else { throw BenchmarkError("\(file) cannot be written") }
                }
            }
        }
    }

    private func reads(
        _ name: String,
        _ fixture: DiskFixture,
        _ read: @escaping @Sendable (_ index: Int) -> Int
    ) -> Contender {
        let count = fixture.keys.count
        let isThreaded = workload == .readsOnTwoThreads
        return Contender(name) { repetitions in
            for _ in 0..<repetitions {
                if isThreaded {
                    PairOfThreads.run { thread in
                        for index in stride(from: thread, to: count, by: 2) { blackHole(read(index)) }
                    }
                } else {
                    for index in 0..<count where read(index) != Self.bodySize {
                        throw BenchmarkError("\(name): not every body was read")
                    }
                }
            }
        }
    }
}
