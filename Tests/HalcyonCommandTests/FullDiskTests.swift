import Glibc
import HalcyonTesting
import Testing

/// A file system of 64 kB, which only the superuser may mount.
private final class TinyDisk: Sendable {
    let path: String

    init?(at path: String) {
        guard geteuid() == 0, mkdir(path, 0o700) == 0, mount("tmpfs", path, "tmpfs", 0, "size=64k") == 0 else {
            return nil
        }
        self.path = path
    }

    deinit { umount2(path, Int32(MNT_DETACH)) }

    static let isPossible: Bool = {
        var template = Array("/tmp/halcyon-mount-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { return false }
        let folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        defer { rmdir(folder) }
        let path = folder + "/disk"
        guard TinyDisk(at: path) != nil else {
            rmdir(path)
            return false
        }
        rmdir(path)
        return true
    }()
}

@Suite(.enabled(if: TinyDisk.isPossible, "mounting a small file system needs the superuser"))
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
        let disk = try #require(TinyDisk(at: work.path("disk")))
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
        let disk = try #require(TinyDisk(at: work.path("disk")))
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
