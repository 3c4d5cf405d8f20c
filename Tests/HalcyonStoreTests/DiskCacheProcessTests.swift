import FoundationEssentials
import HalcyonStore
import Testing

@testable import StoreCrashTrial

@Suite("Processes that share a folder")
struct DiskCacheProcessTests {
    /// `HALCYON_SHARED_STEPS` asks for more of them; `Scripts/store-trials` does.
    private static var stepCount: Int { number(named: "HALCYON_SHARED_STEPS") ?? 400 }

    @Test("four that store, look up, trim and clear at the same time see no wrong byte and keep the limit")
    func mixed() throws {
        let folder = try TemporaryFolder()
        let processes = try (1...4).map { try TrialProcess(folder.path, seed: $0, steps: Self.stepCount) }
        for process in processes { #expect(process.wait() == 0) }
        let fixture = try DiskCacheFixture(in: folder, clock: .init(date: .now)) { $0.sizeLimit = nil }
        try fixture.cache.removeExpired()
        let report = try fixture.cache.verify()
        #expect(report.isSound, "\(report)")
        let statistics = try fixture.cache.statistics()
        // Each thread's last store may have been committed while another's evicted.
        #expect(statistics.bytes <= SharedFolderTrial.sizeLimit + 8 * 50_000)
        #expect(folder.bodyFiles.count == statistics.fileCount)
        #expect(fixture.log.events.isEmpty)
    }
}
