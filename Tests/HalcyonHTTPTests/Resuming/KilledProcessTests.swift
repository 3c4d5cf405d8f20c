import FoundationEssentials
import Glibc
import HalcyonTesting
import Testing

@testable import HalcyonHTTP

// An exit test is a process of its own, which can be killed; what it is given to begin with came with Swift 6.3.
#if compiler(>=6.3)
@Suite("a process that is killed while a body arrives")
struct KilledProcessTests {
    private static let body = ResumeFixture.body

    @Test(
        "leaves a part that the next process goes on with, and never a wrong body",
        arguments: [(1, 64 << 10), (300_000, 64 << 10), (600_000, 64 << 10), (600_000, 400_000), (600_000, 4 << 20)]
    )
    func kill(byteCount: Int, threshold: Int) async throws {
        let gate = Gate()
        let fixture = try ResumeFixture([ResumeFixture.cut(700_000, at: gate), ResumeFixture.ranged()])
        let url = fixture.server.url("/image").absoluteString
        let folder = fixture.folder.path
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [url = url as String, folder = folder as String, byteCount = byteCount as Int, threshold = threshold as Int]
            in
            var partial = PartialBodyStore.Configuration(folder: folder + "/partial")
            partial.minimumBytes = 1
            let store = PartialBodyStore(partial)
            var configuration = BodyLoader.Configuration()
            configuration.memoryThreshold = threshold
            // One that the threshold keeps in memory goes to a file after a time.
            if threshold > 1 << 20 { configuration.memoryTime = .zero }
            configuration.temporaryFolder = folder
            configuration.partialBodies = store
            let loader = BodyLoader(transport: CurlTransport(), configuration: configuration)
            let request = TransferRequest.patient(url: try #require(URL(string: url)))
            let arrived = Gate()
            let load = Task {
                try await loader.load(
                    request,
                    priority: PriorityBox(.normal),
                    report: { if $0.receivedBytes >= byteCount { arrived.open() } }
                )
            }
            await arrived.wait()
            await loader.waitForWriting()
            Glibc.kill(getpid(), SIGKILL)
            _ = try await load.value
        }
        gate.open()
        // Up to the last checkpoint that had been passed for certain, or a later one.
        #expect(try await firstDifference(fixture.load(threshold: threshold).data, Self.body) == nil)
        let interval = PartialBody.checkpointInterval
        let starts = [nil, "bytes=\(interval)-", "bytes=\(2 * interval)-"]
        #expect(fixture.ranges.count == 2)
        #expect(starts.dropFirst(byteCount / interval).contains(fixture.ranges.last ?? "none"))
        #expect(fixture.partialFiles.isEmpty && fixture.folder.openFiles().isEmpty)
    }
}
#endif
