import FoundationEssentials
import HalcyonTesting
import Testing

@testable import Halcyon

// Exit tests run alone in a process of their own, so what it holds of the system can be counted.
#if compiler(>=6.2)
@Suite("A downloader under stress")
struct DownloadStressTests {
    @Test("gives each caller exactly one result and keeps nothing")
    func rounds() async {
        await #expect(processExitsWith: .success) {
            let rounds = ProcessInfo.processInfo.environment["HALCYON_STRESS_ROUNDS"].flatMap(Int.init) ?? 1_000
            let folder = TestPipeline.temporaryPath()
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            // The first transport of a process initialises libcurl.
            try await DownloadStress().run(seed: 0, rounds: 20, temporaryFolder: folder)
            let before = try HeldResources(folder)
            for seed in 1...4 {
                try await DownloadStress().run(seed: UInt64(seed), rounds: rounds / 4, temporaryFolder: folder)
            }
            let after = try HeldResources(folder)
            try FileManager.default.removeItem(atPath: folder)
            try #require(before == after)
        }
    }
}

/// The system resources that this process holds.
private struct HeldResources: Equatable {
    let descriptors: Int
    let threads: Int
    let temporaryFiles: Int

    init(_ folder: String) throws {
        // The listing itself takes a descriptor, the same each time.
        descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
        threads = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")
            .count { Self.isTransportThread($0) }
        temporaryFiles = try FileManager.default.contentsOfDirectory(atPath: folder).count
    }

    /// Returns whether a thread is the transport's. The pools of Swift and Dispatch grow and shrink at any time, and a
    /// thread may have ended since it was listed.
    private static func isTransportThread(_ id: String) -> Bool {
        let name = FileManager.default.contents(atPath: "/proc/self/task/\(id)/comm") ?? Data()
        return String(decoding: name, as: UTF8.self).hasPrefix("halcyon-http")
    }
}
#endif
