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
        let photo = try Pictures.encoded(.png) + Array("kept".utf8)
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
        // Two names of one image, so that memory answers the second time; it has no encoded bytes.
        let third = try await work.run(
            "get",
            url("/ä.png"),
            url("/%C3%A4.png"),
            "-o",
            "out",
            "--json",
            "--concurrency",
            "1"
        )
        #expect(try third.results.map(\.source) == ["network", "memory"])
        #expect(try work.read("out/ä.png") == photo)
        #expect(try work.read("out/ä-2.png") == photo)
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
            #expect(try Pictures.info(try work.read(name)).format == format)
        }
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
        ]
    )
    func oddNames(path: String) async throws {
        defer { server.stop() }
        let run = try await work.run("get", url(path), "-o", "out/", "--json")
        #expect(run.exitCode == 0, "\(run.output)")
        let files = Workplace.files(below: work.folder)
        #expect(files.count == 1 && files[0].hasPrefix("out/") && !files[0].dropFirst(4).contains("/"))
        #expect(files[0].unicodeScalars.allSatisfy { $0.value >= 0x20 })
        #expect(try run.results.map(\.output) == files)
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

    @Test("--sheet draws all images on one PNG")
    func contactSheet() async throws {
        defer { server.stop() }
        let run = try await work.run("get", url("/1"), url("/2"), url("/3"), "--sheet", "sheet.png", "--json")
        #expect(run.exitCode == 0)
        #expect(try run.results.count == 3)
        let sheet = try work.read("sheet.png")
        #expect(try Pictures.info(sheet).format == .png)
        let bitmap = try Pictures.decoded(sheet)
        #expect(bitmap.size.width == 1280 && bitmap.size.height > 200)
        // The background, and in the first row at least three images on it.
        #expect(Set(bitmap.straightRGBA()).count > 2)
    }
}
