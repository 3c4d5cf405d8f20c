import Dispatch
import FoundationEssentials
import Glibc
import Halcyon
import HalcyonTesting
import Testing

@Suite struct OutputTests {
    private let work: Workplace
    private let photo: [UInt8]
    private let server: OriginServer

    init() throws {
        work = try Workplace()
        // Bytes behind the end, which only a true copy keeps.
        let photo = try Images.encoded(.png) + Array("kept".utf8)
        self.photo = photo
        server = try OriginServer { _ in .init(body: photo) }
    }

    private func url(_ path: String) -> String { "http://127.0.0.1:\(server.port)\(path)" }

    @Test("without --resize the output is the original, byte for byte, wherever it comes from")
    func originalBytes() async throws {
        defer { server.stop() }
        let first = try await work.run("get", url("/a.png"), "-o", "network.png", "--json")
        #expect(try first.results.map(\.source) == ["network"])
        let second = try await work.run("get", url("/a.png"), "-o", "disk.png", "--json")
        #expect(try second.results.map(\.source) == ["disk"])
        #expect(try work.read("network.png") == photo)
        #expect(try work.read("disk.png") == photo)
        // Two names of one image, which is loaded and written once, and told of under each.
        let names = ["/ä.png", "/%C3%A4.png"].map { url($0) }
        let third = try await work.run("get", names[0], names[1], "-o", "out/", "--json")
        #expect(try third.results.map(\.source) == ["network", "network"])
        #expect(try third.results.map(\.url) == names)
        #expect(try third.results.compactMap(\.output) == ["out/ä.png", "out/ä.png"])
        #expect(try work.read("out/ä.png") == photo)
        #expect(server.requests.count == 2)
    }

    @Test("the format comes from --format, else from the file's name, else it is the original's")
    func formats() async throws {
        defer { server.stop() }
        for (arguments, name, format) in [
            (["-o", "a.webp"], "a.webp", ImageFormat.webp),
            (["-o", "b.png", "--format", "jpeg"], "b.png", .jpeg),
            (["-o", "c", "--resize", "10x10"], "c", .png),
            (["-o", "d.gif", "--resize", "10x10"], "d.gif", .gif),
        ] {
            let run = try await work.start(["get", url("/a.png"), "--json"] + arguments).outcome
            #expect(run.exitCode == 0)
            #expect(try run.results[0].format == format.rawValue, "\(run.output)")
            #expect(try Images.info(try work.read(name)).format == format)
        }
    }

    @Test(
        "every usual extension of a format says it, of a file and in a list",
        arguments: [("tif", ImageFormat.tiff), ("jfif", .jpeg), ("JPE", .jpeg), ("apng", .png), ("avifs", .avif)]
    )
    func extensions(name: String, format: ImageFormat) async throws {
        defer { server.stop() }
        #expect(try await work.run("get", url("/a.png"), "-o", "a.\(name)").exitCode == 0)
        #expect(try Images.info(work.read("a.\(name)")).format == format)
        try work.write(photo, to: "in.png")
        #expect(try await work.run("convert", "in.png", "b.\(name)").exitCode == 0)
        #expect(try Images.info(work.read("b.\(name)")).format == format)
        try work.write(Array("\(url("/a.png"))\tphoto.\(name)\n".utf8), to: "list")
        let run = try await work.run("get", "--from", "list", "-o", "out/", "--json")
        let output = try #require(try run.results.first?.output)
        #expect(try Images.info(work.read(output)).format == format)
        #expect(output == "out/photo.\(name)")
    }

    @Test("an original that is encoded for its name alone is told of, and no other result")
    func encodedForName() async throws {
        defer { server.stop() }
        for (options, isTold) in [
            (["-o", "a.jpg"], true), (["-o", "b.png"], false), (["-o", "c.jpg", "--format", "jpeg"], false),
            (["-o", "d.jpg", "--resize", "20"], false), (["-o", "e.jpg", "--quality", "50"], false),
            (["-o", "out/", "--name", "{stem}.webp"], true),
        ] {
            let run = try await work.start(["get", url("/a.png")] + options).outcome
            #expect(run.exitCode == 0 && run.error.contains("as its name says; the original is png") == isTold)
            let line = try await work.start(["get", url("/a.png"), "--json", "--overwrite"] + options).outcome
            #expect(line.lines[0].contains(#""note":"encoded as "#) == isTold, "\(line.output)")
        }
        let report = try await work.run("get", url("/a.png"), "-o", "f.gif", "--report", "report")
        #expect(report.exitCode == 0)
        #expect(String(decoding: try work.read("report"), as: UTF8.self).contains(#""note":"encoded as gif"#))
    }

    @Test("--keep-metadata leaves an image as it came that is in the named format already")
    func keptMetadata() async throws {
        defer { server.stop() }
        for options in [["-o", "a.png"], ["-o", "out/", "--format", "png"], ["-o", "out/", "--name", "b.png"]] {
            let command = ["get", url("/a.png"), "--keep-metadata", "all", "--json"] + options
            let output = try #require(try await work.start(command).outcome.results.first?.output)
            #expect(try work.read(output) == photo)
        }
        let run = try await work.run("convert", "a.png", "copy.png", "--keep-metadata", "icc")
        #expect(try run.exitCode == 0 && work.read("copy.png") == photo)
    }

    @Test("images of the same name get different files, named in the results")
    func collisions() async throws {
        defer { server.stop() }
        let run = try await work.run("get", url("/x/a.png"), url("/y/a.png"), url("/a-2.png"), "-o", "out", "--json")
        #expect(run.exitCode == 0)
        let outputs = try run.results.compactMap(\.output)
        #expect(Set(outputs).count == 3)
        #expect(Workplace.files(below: work.folder) == outputs.sorted())
    }

    @Test(
        "no name leads out of the output folder",
        arguments: [
            "/%2e%2e%2f%2e%2e%2fescape.png", "/..%2Fescape.png", "/%2Fetc%2Fescape", "/%00", "/", "", "/..",
            "/a.png?x=/../../b",
            "/%0A%1B%5B2J.png", "/#/../../b", "/%FF%FE", "/ü", "/.png",
            // A slash and a joining mark behind it are one character, and not a slash.
            "/a/..%2F%E2%80%8Dpwn.png", "/a/..%2F%CC%81pwn.png", "/%E2%80%8D..%2F..%2F%E2%80%8D", "/%CC%81x.png",
        ]
    )
    func oddNames(path: String) async throws {
        defer { server.stop() }
        let run = try await work.run("get", url(path), "-o", "out/", "--json")
        #expect(run.exitCode == 0, "\(run.output)")
        let files = Workplace.files(below: work.folder)
        #expect(files.count == 1, "\(files)")
        let file = try #require(files.first)
        #expect(file.utf8.starts(with: "out/".utf8) && !file.utf8.dropFirst(4).contains(UInt8(ascii: "/")), "\(files)")
        #expect(file.unicodeScalars.allSatisfy { $0.value >= 0x20 })
        #expect(try run.results.map(\.output) == files)
        // Neither beside the folder that the command ran in.
        #expect(
            Workplace.files(below: work.root).allSatisfy {
                !$0.contains("pwn") || $0.utf8.starts(with: "work/out/".utf8)
            }
        )
    }

    @Test("a file that exists is replaced, and a pipe is written to, not replaced")
    func replacement() async throws {
        defer { server.stop() }
        try work.write([1, 2, 3], to: "a.png")
        #expect(try await work.run("get", url("/a.png"), "-o", "a.png").exitCode == 0)
        #expect(try work.read("a.png") == photo)

        try #require(mkfifo(work.path("pipe.png"), 0o600) == 0)
        // Open at both ends, so that the few bytes stay in the pipe until they are read here.
        let pipe = open(work.path("pipe.png"), O_RDWR | O_CLOEXEC | O_NONBLOCK)
        try #require(pipe >= 0)
        defer { close(pipe) }
        #expect(try await work.run("get", url("/a.png"), "-o", "pipe.png").exitCode == 0)
        var buffer = [UInt8](repeating: 0, count: photo.count + 1)
        let count = read(pipe, &buffer, buffer.count)
        #expect(buffer.prefix(max(0, count)) == photo[...])
        #expect(Workplace.files(below: work.folder) == ["a.png", "pipe.png"])
    }

    @Test("a link is followed and stays, and the file that it leads to is replaced", arguments: [true, false])
    func links(leadsToFile: Bool) async throws {
        defer { server.stop() }
        if leadsToFile {
            // A further name keeps the file that is replaced.
            try work.write([1, 2, 3], to: "original")
            try #require(link(work.path("original"), work.path("target.png")) == 0)
        }
        try #require(symlink("target.png", work.path("link.png")) == 0)
        #expect(try await work.run("get", url("/a.png"), "-o", "link.png").exitCode == 0)
        #expect(try work.read("target.png") == photo)
        if leadsToFile { #expect(try work.read("original") == [1, 2, 3]) }
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: work.path("link.png")) == "target.png")
        #expect(try await work.run("get", url("/a.png"), "--sheet", "link.png", "--json").exitCode == 0)
        #expect(try Images.info(try work.read("target.png")).size.width == 1_280)
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: work.path("link.png")) == "target.png")
    }

    @Test("an image comes whole out of a pipe that does not block its writer")
    func nonBlockingOutput() async throws {
        server.stop()
        // More than a pipe holds.
        let image = photo + [UInt8](repeating: 7, count: 300_000)
        try work.write(image, to: "a.png")
        try #require(mkfifo(work.path("pipe"), 0o600) == 0)
        let reader = open(work.path("pipe"), O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        let writer = open(work.path("pipe"), O_WRONLY | O_CLOEXEC | O_NONBLOCK)
        try #require(reader >= 0 && writer >= 0 && fcntl(reader, F_SETFL, 0) == 0)
        let running = try work.start(["get", "a.png", "-o", "-"], output: writer)
        close(writer)
        let bytes = await withCheckedContinuation { (continuation: CheckedContinuation<[UInt8], Never>) in
            // It blocks until the writer has ended.
            DispatchQueue(label: "halcyon.tests.pipe").async {
                var bytes: [UInt8] = []
                var buffer = [UInt8](repeating: 0, count: 4_096)
                while case let count = read(reader, &buffer, buffer.count), count > 0 { bytes += buffer[..<count] }
                continuation.resume(returning: bytes)
            }
        }
        close(reader)
        let outcome = try await running.outcome
        #expect(outcome.exitCode == 0 && bytes == image, "\(outcome.error)")
    }

    @Test("a path of the standard output has the image alone, as “-” has", arguments: ["stdout.png", "/dev/stdout"])
    func standardOutput(path: String) async throws {
        defer { server.stop() }
        // As /dev/stdout is one.
        try #require(symlink("/proc/self/fd/1", work.path("stdout.png")) == 0)
        for (options, image) in [([], photo), (["--json"], nil)] as [([String], [UInt8]?)] {
            let output = open(work.path("captured"), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
            try #require(output >= 0)
            defer { close(output) }
            let outcome = try await work.start(["get", url("/a.png"), "-o", path] + options, output: output).outcome
            #expect((outcome.exitCode == 0) == (image != nil))
            #expect(try work.read("captured") == image ?? [])
        }
        #expect(
            try FileManager.default.destinationOfSymbolicLink(atPath: work.path("stdout.png")) == "/proc/self/fd/1"
        )
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        defer { close(ends[0]) }
        let outcome = try await work.start(["get", url("/a.png"), "-o", path], output: ends[1]).outcome
        close(ends[1])
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = read(ends[0], &buffer, buffer.count)
        #expect(outcome.exitCode == 0 && Array(buffer.prefix(count)) == photo)
    }

    @Test("a file that is replaced keeps its permissions", arguments: [0o600, 0o640, 0o444] as [mode_t])
    func permissions(mode: mode_t) async throws {
        defer { server.stop() }
        try work.write([1, 2, 3], to: "a.png")
        try #require(chmod(work.path("a.png"), mode) == 0)
        #expect(try await work.run("get", url("/a.png"), "-o", "a.png").exitCode == 0)
        #expect(try work.read("a.png") == photo)
        var status = stat()
        try #require(stat(work.path("a.png"), &status) == 0)
        #expect(status.st_mode & 0o7777 == mode)
    }

    @Test("a file that is replaced keeps its access control list, and gets none from its folder")
    func accessControlLists() async throws {
        defer { server.stop() }
        let names = (file: "system.posix_acl_access", folder: "system.posix_acl_default")
        // The owner, user 4711, the group, the mask, and others (linux/posix_acl_xattr.h).
        func list(_ permissions: [UInt8]) -> [UInt8] {
            let kinds: [UInt8] = [0x01, 0x02, 0x04, 0x10, 0x20]
            return [2, 0, 0, 0]
                + zip(kinds, permissions).flatMap { kind, permission -> [UInt8] in
                    [kind, 0, permission, 0] + (kind == 0x02 ? [0x67, 0x12, 0, 0] : [0xff, 0xff, 0xff, 0xff])
                }
        }
        for name in ["a.png", "b.png"] { try work.write([1, 2, 3], to: name) }
        try #require(chmod(work.path("b.png"), 0o640) == 0)
        guard ExtendedAttribute.set(names.file, of: work.path("a.png"), to: list([6, 4, 0, 4, 0])) else { return }
        #expect(ExtendedAttribute.set(names.folder, of: work.folder, to: list([7, 7, 7, 7, 7])))
        let before = ExtendedAttribute.value(names.file, of: work.path("a.png"))
        #expect(before == list([6, 4, 0, 4, 0]))
        for name in ["a.png", "b.png"] {
            #expect(try await work.run("get", url("/a.png"), "-o", name).exitCode == 0)
            #expect(try work.read(name) == photo)
        }
        #expect(ExtendedAttribute.value(names.file, of: work.path("a.png")) == before)
        #expect(ExtendedAttribute.value(names.file, of: work.path("b.png")) == nil)
        var status = stat()
        try #require(stat(work.path("b.png"), &status) == 0)
        #expect(status.st_mode & 0o7777 == 0o640)
    }

    @Test(
        "a file in a folder that takes no other is written in place, and no other is made there",
        .enabled(if: geteuid() != 0 || MountedDisk.isPossible, "the superuser cannot give up its rights")
    )
    func readOnlyFolder() async throws {
        defer { server.stop() }
        try #require(mkdir(work.path("folder"), 0o700) == 0)
        defer { chmod(work.path("folder"), 0o700) }
        try work.write([1, 2, 3], to: "folder/a.png")
        try #require(chmod(work.path("folder/a.png"), 0o600) == 0 && chmod(work.path("folder"), 0o500) == 0)
        func get(_ name: String) async throws -> Workplace.Outcome {
            let arguments = ["get", url("/a.png"), "-o", "folder/\(name)", "--json"]
            guard geteuid() == 0 else { return try await work.start(arguments).outcome }
            let plain = ["--bounding-set", "-dac_override", "--inh-caps", "-dac_override", Workplace.executable]
            return try await work.start(plain + arguments, executable: "/usr/bin/setpriv").outcome
        }
        #expect(try await get("a.png").exitCode == 0)
        #expect(try work.read("folder/a.png") == photo)
        #expect(try await get("b.png").results[0].error?.message == "folder/b.png: Permission denied")
        #expect(Workplace.files(below: work.folder) == ["folder/a.png"])
    }

    @Test(
        "a folder that takes no files is told of before anything is transferred, if something is to be written",
        .enabled(if: geteuid() != 0 || MountedDisk.isPossible, "the superuser cannot give up its rights")
    )
    func folderWithoutRoom() async throws {
        defer { server.stop() }
        let images = (0..<20).map { url("/\($0).png") }
        func get(_ urls: [String], _ options: String...) async throws -> Workplace.Outcome {
            let arguments = ["get"] + urls + ["-o", "folder/", "--json"] + options
            guard geteuid() == 0 else { return try await work.start(arguments).outcome }
            let plain = ["--bounding-set", "-dac_override", "--inh-caps", "-dac_override", Workplace.executable]
            return try await work.start(plain + arguments, executable: "/usr/bin/setpriv").outcome
        }
        #expect(try await get(Array(images[..<10])).exitCode == 0)
        try #require(chmod(work.path("folder"), 0o500) == 0)
        defer { chmod(work.path("folder"), 0o700) }
        #expect(try await get(Array(images[..<10])).results.map(\.status) == Array(repeating: "skipped", count: 10))
        let run = try await get(images)
        #expect(run.exitCode == 1)
        #expect(try run.results.suffix(10).allSatisfy { $0.error?.message.contains("Permission denied") == true })
        #expect(try await get(images, "--sizes", "10,20", "--no-cache").exitCode == 1)
        #expect(server.requests.count == 10)
        #expect(Workplace.files(below: work.path("folder")).count == 10)
        // Nor can one be made below.
        try work.write(Array("\(images[10])\tsub/a\n\(images[11])\tsub/b\n".utf8), to: "list")
        #expect(try await get([], "--from", "list").exitCode == 1)
        #expect(server.requests.count == 10)
        // One that is there may take files all the same.
        try work.write(Array("\(images[10])\n\(images[11])\tsub/b\n".utf8), to: "list")
        try #require(chmod(work.path("folder"), 0o700) == 0 && mkdir(work.path("folder/sub"), 0o700) == 0)
        try #require(chmod(work.path("folder"), 0o500) == 0)
        let mixed = try await get([], "--from", "list", "--concurrency", "1")
        #expect(try mixed.results.map(\.status) == ["failed", "done"], "\(mixed)")
        #expect(try work.read("folder/sub/b.png") == photo)
    }

    @Test("no output shows the password of a URL")
    func passwords() async throws {
        defer { server.stop() }
        let secret = "http://user:hunter2@127.0.0.1:\(server.port)"
        for arguments in [
            ["get", secret + "/a.png", secret, "--json", "--trace"], ["get", secret + "/a.png", secret, "--trace"],
            ["get", secret + "/a.png", "--json", "-o", "nowhere/\0/"], ["info", secret + "/a.png", "--json"],
            ["info", secret + "/a.png"], ["cache", "list", "--json"], ["cache", "remove", secret + "/b.png"],
            ["cache", "remove", secret + "/a.png", "--json"], ["cache", "remove", secret + "/a.png"],
        ] {
            let run = try await work.start(arguments).outcome
            #expect(!run.output.contains("hunter2") && !run.error.contains("hunter2"), "\(arguments): \(run)")
            #expect(!(run.output + run.error).isEmpty)
        }
    }

    @Test("--sheet replaces no image that it shows")
    func sheetInPlaceOfImage() async throws {
        defer { server.stop() }
        for (name, output) in [("1.png", "1.png"), ("2.png", "./")] {
            let run = try await work.run("get", url("/\(name)"), "-o", output, "--sheet", name, "--json")
            #expect(run.exitCode == 1)
            #expect(run.error.contains("\(name) is one of its images"))
            #expect(try work.read(name) == photo)
        }
    }

    @Test("--sheet draws all images on one PNG")
    func contactSheet() async throws {
        defer { server.stop() }
        let run = try await work.run("get", url("/1"), url("/2"), url("/3"), "--sheet", "sheet.png", "--json")
        #expect(run.exitCode == 0)
        #expect(try run.results.count == 3)
        let sheet = try work.read("sheet.png")
        #expect(try Images.info(sheet).format == .png)
        let bitmap = try Images.decoded(sheet)
        #expect(bitmap.size.width == 1280 && bitmap.size.height > 200)
        // The background, and in the first row at least three images on it.
        #expect(Set(bitmap.straightRGBA()).count > 2)
    }
}
