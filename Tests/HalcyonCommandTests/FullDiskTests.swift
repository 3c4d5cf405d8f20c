import Glibc
import HalcyonTesting
import Testing

@testable import HalcyonCommand

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

    @Test("a full disk under the cache lets its images be removed, one and all", arguments: [false, true])
    func fullCache(removesAll: Bool) async throws {
        let photo = Array(photo.prefix(60_000))
        let server = try OriginServer { request in .init(body: photo + Array(request.path.utf8)) }
        defer { server.stop() }
        let disk = try #require(MountedDisk(at: work.path("disk"), size: "1m"))
        let url = server.url("/0.png").absoluteString
        for number in 0..<4 {
            let url = server.url("/\(number).png").absoluteString
            #expect(try await work.run("get", url, cacheHome: disk.path).exitCode == 0)
        }
        // The rest of the disk is taken by someone else.
        try fill(disk.path + "/other")
        let removal = removesAll ? ["clear"] : ["remove", url]
        let run = try await work.start(["cache"] + removal, cacheHome: disk.path).outcome
        #expect(run.exitCode == 0, "\(run.error)")
        let list = try await work.run("cache", "list", "--json", cacheHome: disk.path)
        #expect(list.exitCode == 0 && !list.output.contains(url))
        if removesAll {
            #expect(list.lines.isEmpty)
            #expect(!Workplace.files(below: disk.path).contains { $0.contains("bodies/") })
        }
    }

    /// Writes a file until the disk is full.
    private func fill(_ path: String) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT, 0o600)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        let zeros = [UInt8](repeating: 0, count: 4096)
        while write(descriptor, zeros, zeros.count) > 0 {}
    }

    @Test("a full disk under the file that a link leads to leaves that as it was")
    func fullTarget() async throws {
        try work.write(photo, to: "photo.png")
        let disk = try #require(MountedDisk(at: work.path("disk")))
        try work.write([1, 2, 3], to: "disk/a.png")
        try #require(symlink("disk/a.png", work.path("link.png")) == 0)
        let run = try await work.run("convert", "photo.png", "link.png")
        #expect(run.exitCode == 1 && run.error.contains("link.png: No space left on device"))
        #expect(try work.read("disk/a.png") == [1, 2, 3])
        #expect(Workplace.files(below: disk.path) == ["a.png"])
    }

    @Test(
        "a run ends where the disk under its output is full or read-only, and --resume goes on with what is left",
        arguments: [true, false],
        [true, false]
    )
    func ending(isReadOnly: Bool, isList: Bool) async throws {
        let photo = photo
        let server = try OriginServer { request in .init(body: photo + Array(request.path.utf8)) }
        defer { server.stop() }
        let urls = (0..<6).map { server.url("/\($0).png").absoluteString }
        // As many editors leave it, the last line has no end.
        try work.write(Array(urls.joined(separator: "\n").utf8), to: "list")
        let images = isList ? ["--from", "list"] : urls
        let options = ["-o", "disk/", "--json", "--concurrency", "1"]
        do {
            let disk = try #require(MountedDisk(at: work.path("disk")))
            if isReadOnly { try #require(mount(nil, disk.path, nil, UInt(MS_REMOUNT | MS_RDONLY), nil) == 0) }
            let run = try await work.start(["get"] + images + options + ["--report", "report"]).outcome
            #expect(run.exitCode == 1 && server.requests.count == (isReadOnly ? 0 : 1))
            #expect(try run.results.map(\.status) == urls.map { _ in "failed" })
            #expect(run.error.contains("the run ended, since nothing more can be written: 5 images are not done"))
            #expect(!run.error.contains("was not read"))
            withExtendedLifetime(disk) {}
        }
        // Without the list: the report has what is left.
        let resumed = try await work.start(["get", "--resume", "report"] + options).outcome
        #expect(resumed.exitCode == 0, "\(resumed)")
        #expect(try resumed.results.map(\.status) == urls.map { _ in "done" })
        #expect(Workplace.files(below: work.path("disk")) == (0..<6).map { "\($0).png" })
    }

    @Test("half a line of a report goes: that of a run that was killed, and that for which the disk had no room")
    func halfLine() throws {
        let disk = try #require(MountedDisk(at: work.path("disk")))
        let path = disk.path + "/report"
        func result(_ url: String) -> GetResult {
            let outcome = GetResult.Outcome.skipped(.init(output: nil, byteCount: 1))
            let request = String(repeating: "0", count: 32)
            return GetResult(index: 0, argument: SourceArgument(text: url), outcome: outcome, request: request)
        }
        // Nearly to the end of a page, so that another line needs one more.
        try ReportFile(path: path, resumes: false, target: .nowhere).write(result("https://a.test/1.png"))
        var whole = try work.read("disk/report")
        whole.insert(contentsOf: [UInt8](repeating: UInt8(ascii: " "), count: 4_080 - whole.count), at: whole.count - 2)
        try work.write(whole + Array("{\"url\":\"".utf8), to: "disk/report")
        let filler = open(disk.path + "/filler", O_WRONLY | O_CREAT, 0o600)
        let page = [UInt8](repeating: 7, count: 4096)
        while Glibc.write(filler, page, page.count) > 0 {}
        let report = try ReportFile(path: path, resumes: true, target: .nowhere)
        #expect(try work.read("disk/report") == whole)
        report.write(result("https://a.test/2.png"))
        #expect(try !report.isComplete && work.read("disk/report") == whole)
        ftruncate(filler, 0)
        close(filler)
        report.write(result("https://a.test/3.png"))
        let lines = try work.read("disk/report").split(separator: UInt8(ascii: "\n"))
        #expect(lines.count == 2 && String(decoding: lines[1], as: UTF8.self).contains("3.png"))
        // A whole line counts without its end.
        let unended = try work.read("disk/report").dropLast()
        try work.write(Array(unended), to: "disk/report")
        try ReportFile(path: path, resumes: true, target: .nowhere).write(result("https://a.test/4.png"))
        #expect(try work.read("disk/report").split(separator: UInt8(ascii: "\n")).count == 3)
    }

    @Test("only errors that stop every further file end a run")
    func finalErrors() {
        for code in [ENOSPC, EDQUOT, EROFS] { #expect(FileOutput.isFinal(FileOutput.failure("a", "b", code))) }
        for code in [EACCES, EIO, ENAMETOOLONG] { #expect(!FileOutput.isFinal(FileOutput.failure("a", "b", code))) }
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
