import FoundationEssentials
import Glibc
import HTTPTypes
import Halcyon
import HalcyonTesting
import Testing

/// The same command a second time.
@Suite struct ContinuationTests {
    private let work: Workplace
    private let server: OriginServer

    init() throws {
        work = try Workplace()
        server = try OriginServer.withImages()
    }

    private func url(_ path: String) -> String { server.url(path).absoluteString }

    private func get(_ arguments: String...) async throws -> Workplace.Outcome {
        try await work.start(["get"] + arguments + ["--json"]).outcome
    }

    @Test(
        "the same command twice asks no server and writes nothing",
        arguments: [
            ["-o", "out/"], ["-o", "named.png"], ["-o", "out/", "--resize", "20"], ["-o", "out/", "--no-cache"],
        ]
    )
    func twice(options: [String]) async throws {
        defer { server.stop() }
        let command = ["get", url("/a.png"), "--json"] + options
        let first = try #require(try await work.start(command).outcome.results.first)
        #expect(first.status == "done")
        let output = try #require(first.output)
        let before = try status(output)
        let second = try await work.start(command).outcome
        #expect(second.exitCode == 0)
        #expect(try second.results.map(\.status) == ["skipped"])
        #expect(try second.results.map(\.output) == [output])
        #expect(server.requests.count == 1)
        let after = try status(output)
        #expect(after.st_ino == before.st_ino && after.st_mtim.tv_nsec == before.st_mtim.tv_nsec)
    }

    @Test("another --resize is another request, with its own file, and each is found again")
    func otherSize() async throws {
        defer { server.stop() }
        var outputs: Set<String> = []
        for (size, status) in [("400", "done"), ("200", "done"), ("400", "skipped"), ("200", "skipped")] {
            let result = try #require(try await get(url("/a.png"), "-o", "out/", "--resize", size).results.first)
            outputs.insert(try #require(result.output))
            #expect(result.status == status)
        }
        #expect(outputs.count == 2)
        #expect(server.requests.count == 1)
    }

    @Test(
        "a file that another program has changed, shortened or removed is no reason to skip",
        arguments: ["byte", "cut", "gone"]
    )
    func changedFile(kind: String) async throws {
        defer { server.stop() }
        #expect(try await get(url("/a.png"), "-o", "out/").exitCode == 0)
        var bytes = try work.read("out/a.png")
        switch kind {
        case "byte":
            bytes[bytes.count - 1] ^= 1
            let descriptor = open(work.path("out/a.png"), O_WRONLY)
            try #require(descriptor >= 0 && write(descriptor, bytes, bytes.count) == bytes.count)
            close(descriptor)
        case "cut": try #require(truncate(work.path("out/a.png"), 9) == 0)
        default: try #require(unlink(work.path("out/a.png")) == 0)
        }
        let again = try await get(url("/a.png"), "-o", "out/")
        #expect(try again.results.map(\.status) == ["done"])
        let output = try #require(try again.results.first?.output)
        #expect((output == "out/a.png") == (kind == "gone"))
        #expect(try work.read(output).suffix(6) == Array("/a.png".utf8)[...])
    }

    @Test("--overwrite writes anew; --refresh asks with the validator and keeps the file of an unchanged image")
    func anew() async throws {
        self.server.stop()
        let image = try Images.encoded(.png)
        let server = try OriginServer { request in
            if request.headers[.ifNoneMatch] == "\"1\"" { return .init(304, headers: [.eTag: "\"1\""]) }
            return .init(headers: [.eTag: "\"1\""], body: image)
        }
        defer { server.stop() }
        let command = ["get", server.url("/a.png").absoluteString, "-o", "out/", "--json"]
        #expect(try await work.start(command).outcome.exitCode == 0)
        let first = try status("out/a.png")
        let refreshed = try await work.start(command + ["--refresh"]).outcome
        #expect(refreshed.exitCode == 0)
        #expect(server.requests.count == 2)
        #expect(server.requests.last?.headers[.ifNoneMatch] == "\"1\"")
        #expect(try status("out/a.png").st_ino == first.st_ino)
        let written = try await work.start(command + ["--overwrite"]).outcome
        #expect(try written.results.map(\.status) == ["done"])
        #expect(server.requests.count == 2)
        #expect(try status("out/a.png").st_ino != first.st_ino)
    }

    @Test("--refresh writes every file of an image that has changed, and keeps those of one that has not")
    func refreshedSizes() async throws {
        self.server.stop()
        let images = [try Images.encoded(.png), try Images.encoded(.png, width: 20, height: 40)]
        let isChanged = Gate()
        let server = try OriginServer { request in
            let tag = isChanged.isOpen ? "\"2\"" : "\"1\""
            if request.headers[.ifNoneMatch] == tag { return .init(304, headers: [.eTag: tag]) }
            return .init(headers: [.eTag: tag], body: images[isChanged.isOpen ? 1 : 0])
        }
        defer { server.stop() }
        let command = ["get", server.url("/a.png").absoluteString, "-o", "out/", "--json"]
        for sizes in [["--sizes", "10,20"], []] {
            #expect(try await work.start(command + sizes).outcome.exitCode == 0)
        }
        isChanged.open()
        for sizes in [["--sizes", "10,20"], []] {
            let run = try await work.start(command + sizes + ["--refresh"]).outcome
            #expect(try run.exitCode == 0 && run.results.allSatisfy { $0.status == "done" })
        }
        for (name, size) in [("a-10.png", PixelSize(5, 10)), ("a-20.png", PixelSize(10, 20))] {
            #expect(try Images.info(work.read("out/" + name)).size == size)
        }
        #expect(try work.read("out/a.png") == images[1])
        #expect(Workplace.files(below: work.path("out")) == ["a-10.png", "a-20.png", "a.png"])
        let before = try ["out/a-10.png", "out/a-20.png"].map { try status($0).st_ino }
        #expect(try await work.start(command + ["--sizes", "10,20", "--refresh"]).outcome.exitCode == 0)
        #expect(try ["out/a-10.png", "out/a-20.png"].map { try status($0).st_ino } == before)
    }

    @Test("--refresh removes the file of an image whose size is in its name, once it has another")
    func refreshedName() async throws {
        self.server.stop()
        let images = [try Images.encoded(.png), try Images.encoded(.png, width: 20, height: 40)]
        let isChanged = Gate()
        let server = try OriginServer { _ in .init(body: images[isChanged.isOpen ? 1 : 0]) }
        defer { server.stop() }
        let command = [
            "get", server.url("/a.png").absoluteString, "-o", "out/", "--name", "{stem}-{width}", "--json",
        ]
        #expect(try await work.start(command).outcome.results.map(\.output) == ["out/a-40.png"])
        isChanged.open()
        #expect(try await work.start(command + ["--refresh"]).outcome.results.map(\.output) == ["out/a-20.png"])
        #expect(Workplace.files(below: work.path("out")) == ["a-20.png"])
        let again = try await work.start(command).outcome
        #expect(try again.results.map(\.status) == ["skipped"] && again.results.map(\.output) == ["out/a-20.png"])
    }

    @Test("an image that is a file is made again when that has changed since")
    func localSource() async throws {
        server.stop()
        try work.write(try Images.encoded(.png), to: "a.png")
        let command = ["get", "a.png", "--resize", "20", "-o", "out/", "--json"]
        #expect(try await work.start(command).outcome.results.map(\.status) == ["done"])
        #expect(try await work.start(command).outcome.results.map(\.status) == ["skipped"])
        try work.write(try Images.encoded(.png, width: 60, height: 20), to: "a.png")
        let again = try #require(try await work.start(command).outcome.results.first)
        #expect(again.status == "done" && again.height == 7)
        #expect(Workplace.files(below: work.path("out")) == ["a.png"])
    }

    @Test(
        "an image that is another file by now is made again, though that one is older than the result",
        arguments: ["link", "folder"]
    )
    func otherSource(kind: String) async throws {
        server.stop()
        for (name, width) in [("one", 40), ("two", 60)] {
            try #require(mkdir(work.path(name), 0o700) == 0)
            try work.write(try Images.encoded(.png, width: width), to: name + "/a.png")
        }
        let isLink = kind == "link"
        try #require((isLink ? symlink("one", work.path("now")) : rename(work.path("one"), work.path("now"))) == 0)
        let command = ["convert", "now", "out/", "--format", "webp", "--json"]
        #expect(try await work.start(command).outcome.results.map(\.width) == [40])
        #expect(try await work.start(command).outcome.results.map(\.status) == ["skipped"])
        if isLink {
            try #require(unlink(work.path("now")) == 0 && symlink("two", work.path("now")) == 0)
        } else {
            try #require(rename(work.path("now"), work.path("one")) == 0)
            try #require(rename(work.path("two"), work.path("now")) == 0)
        }
        #expect(try await work.start(command).outcome.results.map(\.width) == [60])
        #expect(try await work.start(command).outcome.results.map(\.status) == ["skipped"])
        #expect(try Images.info(work.read("out/a.webp")).size.width == 60)
    }

    @Test("an image that was cut short is loaded again by the next run")
    func partialImage() async throws {
        self.server.stop()
        let image = try Images.encoded(.jpeg, width: 200, height: 200)
        let isWhole = Gate()
        let server = try OriginServer { _ in
            .init(headers: [.cacheControl: "no-store"], body: isWhole.isOpen ? image : image.dropLast(100))
        }
        defer { server.stop() }
        let command = ["get", server.url("/a.jpg").absoluteString, "-o", "out/", "--json"]
        #expect(try await work.start(command).outcome.results.map(\.status) == ["done"])
        isWhole.open()
        #expect(try await work.start(command).outcome.results.map(\.status) == ["done"])
        #expect(try work.read("out/a.jpg") == image)
        #expect(try await work.start(command).outcome.results.map(\.status) == ["skipped"])
        #expect(Workplace.files(below: work.folder) == ["out/a.jpg"])
    }

    @Test("an image that the cache has cut short is asked of its server, and kept while that does not answer")
    func partialInCache() async throws {
        self.server.stop()
        let image = try Images.encoded(.jpeg, width: 200, height: 200)
        let (isWhole, isDown) = (Gate(), Gate())
        let server = try OriginServer { _ in
            if isDown.isOpen, !isWhole.isOpen { return .init(503) }
            return .init(headers: [.cacheControl: "max-age=1000"], body: isWhole.isOpen ? image : image.dropLast(100))
        }
        defer { server.stop() }
        let url = server.url("/a.jpg").absoluteString
        let commands = [["-o", "out/"], ["-o", "out/", "--sizes", "50,100"], []].map {
            ["get", url, "--json", "--retries", "0"] + $0
        }
        for command in commands { #expect(try await work.start(command).outcome.exitCode == 0) }
        let cut = try work.read("out/a-50.jpg")
        isDown.open()
        for command in commands {
            let run = try await work.start(command).outcome
            #expect(run.exitCode == 0 && run.lines.allSatisfy { $0.contains(#""partial":true"#) }, "\(run.output)")
        }
        isWhole.open()
        for command in commands.reversed() {
            let run = try await work.start(command).outcome
            #expect(run.exitCode == 0 && run.lines.allSatisfy { $0.contains(#""partial":false"#) }, "\(run.output)")
        }
        #expect(try work.read("out/a.jpg") == image)
        #expect(try work.read("out/a-50.jpg") != cut)
        #expect(Workplace.files(below: work.path("out")) == ["a-100.jpg", "a-50.jpg", "a.jpg"])
    }

    @Test(
        "an image that the cache has cut short is transferred again, whatever its server says of its validator",
        arguments: [[], ["--refresh"]]
    )
    func partialWithValidator(options: [String]) async throws {
        self.server.stop()
        let image = try Images.encoded(.jpeg, width: 200, height: 200)
        let isWhole = Gate()
        let server = try OriginServer { request in
            let fields: HTTPFields = [.eTag: "\"1\"", .cacheControl: "max-age=1000"]
            if request.headers[.ifNoneMatch] != nil { return .init(304, headers: fields) }
            return .init(headers: fields, body: isWhole.isOpen ? image : image.dropLast(100))
        }
        defer { server.stop() }
        let command = ["get", server.url("/a.jpg").absoluteString, "-o", "out/", "--json"]
        #expect(try await work.start(command).outcome.lines.allSatisfy { $0.contains(#""partial":true"#) })
        isWhole.open()
        let again = try await work.start(command + options).outcome
        #expect(again.exitCode == 0 && again.lines.allSatisfy { $0.contains(#""partial":false"#) }, "\(again.output)")
        #expect(try work.read("out/a.jpg") == image)
    }

    /// Writes an image into a folder and to a file, and returns its server, which sends it cut short from then on, with the
    /// commands.
    private func cutShortAfterwards(_ image: [UInt8]) async throws -> (OriginServer, commands: [[String]]) {
        self.server.stop()
        let isCut = Gate()
        let server = try OriginServer { _ in
            .init(headers: [.cacheControl: "no-store"], body: isCut.isOpen ? image.dropLast(100) : image)
        }
        let commands = [["-o", "out/"], ["-o", "a.jpg"]].map {
            ["get", server.url("/a.jpg").absoluteString, "--json"] + $0
        }
        for command in commands { #expect(try await work.start(command).outcome.exitCode == 0) }
        isCut.open()
        return (server, commands)
    }

    @Test("a whole file is replaced by no image that is cut short, touched or to be overwritten")
    func partialOverwriting() async throws {
        let image = try Images.encoded(.jpeg, width: 200, height: 200)
        let (server, commands) = try await cutShortAfterwards(image)
        defer { server.stop() }
        for command in commands {
            let run = try await work.start(command + ["--overwrite"]).outcome
            #expect(try run.exitCode == 1 && run.results.first?.error?.message.contains("is kept") == true, "\(run)")
        }
        for path in ["out/a.jpg", "a.jpg"] { #expect(utimes(work.path(path), nil) == 0) }
        for command in commands { #expect(try await work.start(command).outcome.exitCode == 1) }
        #expect(try work.read("out/a.jpg") == image && work.read("a.jpg") == image)
        // What is in them by now is not whole.
        for path in ["out/a.jpg", "a.jpg"] { #expect(truncate(work.path(path), 0) == 0) }
        for command in commands {
            #expect(try await work.start(command + ["--overwrite"]).outcome.exitCode == 0)
        }
        #expect(try work.read("a.jpg") == image.dropLast(100))
    }

    @Test("files whose times were not copied are kept, and not written once more beside themselves")
    func copiesWithOtherTimes() async throws {
        defer { server.stop() }
        let command = ["get", server.url("/a.png").absoluteString, "-o", "out/"]
        #expect(try await work.start(command).outcome.exitCode == 0)
        #expect(utimes(work.path("out/a.png"), nil) == 0)
        #expect(try await work.start(command).outcome.exitCode == 0)
        #expect(Workplace.files(below: work.path("out")) == ["a.png"])
    }

    @Test("the lines of --json are no report")
    func outputIsNoReport() async throws {
        defer { server.stop() }
        let url = server.url("/a.png").absoluteString
        let run = try await work.run("get", url, "--json", "-o", "out/")
        try work.write(Array(run.output.utf8), to: "lines")
        for option in ["--resume", "--report"] {
            let refused = try await work.run("get", url, option, "lines", "-o", "out/")
            #expect(refused.exitCode != 0 && refused.error.contains("report"), "\(option): \(refused)")
        }
        #expect(try work.read("lines") == Array(run.output.utf8))
    }

    @Test("all sizes are made of one transfer, when it is refreshed too")
    func sizesOfOneTransfer() async throws {
        self.server.stop()
        let image = try Images.encoded(.jpeg, width: 200, height: 200)
        let server = try OriginServer { _ in .init(headers: [.cacheControl: "no-cache"], body: image) }
        defer { server.stop() }
        let command = ["get", server.url("/a.jpg").absoluteString, "--sizes", "20,40,80", "-o", "out/"]
        for (count, options) in [(1, []), (2, ["--refresh"])] {
            let run = try await work.start(command + options).outcome
            #expect(run.exitCode == 0 && server.requestCount("/a.jpg") == count, "\(run)")
        }
        #expect(Workplace.files(below: work.path("out")) == ["a-20.jpg", "a-40.jpg", "a-80.jpg"])
    }

    @Test("a name of a list keeps the spelling of its extension, and is found again")
    func statedExtensions() async throws {
        defer { server.stop() }
        let lines = ["photo.PNG", "IMG.png", "x.jpeg"].enumerated().map { number, name in
            "\(server.url("/\(number).png"))\t\(name)\n"
        }
        try work.write(Array(lines.joined().utf8), to: "list")
        for _ in 0..<2 { #expect(try await work.run("get", "--from", "list", "-o", "out/").exitCode == 0) }
        #expect(Workplace.files(below: work.path("out")) == ["IMG.png", "photo.PNG", "x.jpeg"])
        #expect((0..<3).allSatisfy { server.requestCount("/\($0).png") == 1 })
    }

    @Test("--refresh keeps a whole file of an image that is cut short by now, and fails")
    func partialRefresh() async throws {
        let image = try Images.encoded(.jpeg, width: 200, height: 200)
        let (server, commands) = try await cutShortAfterwards(image)
        defer { server.stop() }
        for command in commands {
            let run = try await work.start(command + ["--refresh"]).outcome
            #expect(run.exitCode == 1)
            #expect(try run.results.first?.error?.message.contains("the whole file is kept") == true)
            #expect(try await work.start(command).outcome.results.map(\.status) == ["skipped"])
        }
        #expect(try work.read("out/a.jpg") == image && work.read("a.jpg") == image)
    }

    @Test("--refresh keeps a file of the very bytes that prove to be damaged, and succeeds")
    func damagedRefresh() async throws {
        self.server.stop()
        // With its end, it is taken for whole where it is not decoded.
        let damaged = try Images.encoded(.jpeg, width: 200, height: 200).dropLast(100) + [0xFF, 0xD9]
        let server = try OriginServer { _ in .init(headers: [.cacheControl: "no-store"], body: Array(damaged)) }
        defer { server.stop() }
        let command = ["get", server.url("/a.jpg").absoluteString, "-o", "out/", "--json"]
        let first = try await work.start(command).outcome
        #expect(first.exitCode == 0 && first.lines.allSatisfy { $0.contains(#""partial":false"#) }, "\(first)")
        let before = try status("out/a.jpg")
        let again = try await work.start(command + ["--refresh", "--sheet", "sheet.png"]).outcome
        #expect(again.exitCode == 0 && again.lines.allSatisfy { $0.contains(#""partial":true"#) }, "\(again)")
        #expect(try status("out/a.jpg").st_ino == before.st_ino)
        #expect(Workplace.files(below: work.path("out")) == ["a.jpg"])
    }

    private func status(_ name: String) throws -> stat {
        var status = stat()
        try #require(stat(work.path(name), &status) == 0)
        return status
    }
}
