import HalcyonTesting
import Testing

@Suite(.enabled(if: MountedDisk.isPossible, "mounting a small file system needs the superuser"))
struct FullDiskTests {
    private let work: Workplace
    private let photo: [UInt8]

    init() throws {
        work = try Workplace()
        // Bytes behind the end count as well; they make the image larger than the disk.
        photo = try Images.encoded(.png) + [UInt8](repeating: 7, count: 100_000)
    }

    @Test("a full disk under the output fails the image and leaves no part of it")
    func fullOutput() async throws {
        let photo = photo
        let server = try OriginServer { _ in .init(body: photo) }
        defer { server.stop() }
        let disk = try #require(MountedDisk(at: work.path("disk")))
        let run = try await work.run("get", server.url("/a.png").absoluteString, "-o", "disk/", "--json")
        #expect(run.exitCode == 1)
        let error = try #require(try run.results[0].error)
        #expect(error.stage == "store" && error.reason == "file")
        #expect(error.message == "disk/a.png: No space left on device")
        #expect(Workplace.files(below: disk.path).isEmpty)
    }

    @Test("a full disk under the cache earns a warning, and the image comes all the same")
    func fullCache() async throws {
        let photo = photo
        let server = try OriginServer { _ in .init(body: photo) }
        defer { server.stop() }
        let disk = try #require(MountedDisk(at: work.path("disk")))
        let run = try await work.run(
            "get",
            server.url("/a.png").absoluteString,
            "-o",
            "a.png",
            "--json",
            "--cache-dir",
            disk.path
        )
        #expect(run.exitCode == 0)
        #expect(try run.results[0].source == "network")
        #expect(run.error.hasPrefix("halcyon: "))
        #expect(try work.read("a.png") == photo)
        #expect(
            Workplace.files(below: disk.path).allSatisfy { !$0.contains("incoming") },
            "\(Workplace.files(below: disk.path))"
        )
    }
}
