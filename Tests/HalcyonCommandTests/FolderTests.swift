import FoundationEssentials
import Glibc
import HalcyonSystem
import HalcyonTesting
import Testing

@testable import HalcyonCommand

/// Runs of the command into one folder: no file that came from another URL is overwritten.
@Suite struct FolderTests {
    private let work: Workplace
    private let server: OriginServer

    init() throws {
        work = try Workplace()
        server = try OriginServer.withImages()
    }

    private func url(_ path: String) -> String { server.url(path).absoluteString }

    /// The path of the URL that a file came from.
    private func origin(_ file: String) throws -> String {
        let bytes = try work.read(file)
        return String(decoding: bytes.dropFirst(try Images.encoded(.png).count), as: UTF8.self)
    }

    /// Expects one file for each path, with its image, in the folder "out".
    private func expectImages(_ paths: some Sequence<String>, sourceLocation: SourceLocation = #_sourceLocation) throws
    {
        let origins = try Workplace.files(below: work.path("out")).map { try origin("out/" + $0) }
        #expect(origins.sorted() == paths.sorted(), sourceLocation: sourceLocation)
    }

    private func get(_ paths: some Sequence<String>, _ options: String...) throws -> Workplace.Running {
        try work.start(["get"] + paths.map(url) + ["-o", "out/", "--json"] + options)
    }

    @Test(
        "images from the standard input replace none that came from there before, and the same one has its file again",
        arguments: ["-", "/dev/stdin", "/proc/self/fd/0"],
        [["get"], ["convert", "--format", "png"]]
    )
    func standardInput(name: String, command: [String]) async throws {
        server.stop()
        let images = [try Images.encoded(.png), try Images.encoded(.png, width: 60, height: 20)]
        try work.write(images[0], to: "0.png")
        try work.write(images[1], to: "1.png")
        for number in [0, 1, 0] {
            let arguments = command + [name] + (command[0] == "get" ? ["-o", "out/"] : ["out/"])
            let run = try work.start(arguments, input: "\(number).png")
            #expect(try await run.outcome.exitCode == 0)
        }
        let files = Workplace.files(below: work.path("out"))
        #expect(files.count == 2 && files.contains("stdin.png"))
        #expect(Set(try files.map { try work.read("out/" + $0) }) == Set(images))
    }

    private let hundreds = (0..<3).map { hundred in (0..<100).map { "/\(hundred)/\($0)/300" } }

    @Test("images of one name from several calls are all there, and again after calls for other parts of them")
    func batches() async throws {
        defer { server.stop() }
        var names: [String: String] = [:]
        for paths in hundreds {
            let run = try await get(paths).outcome
            #expect(run.exitCode == 0 && run.error.isEmpty)
            for result in try run.results {
                let output: String = try #require(result.output)
                names[result.url] = output
            }
        }
        let all = hundreds.flatMap { $0 }
        try expectImages(all)
        #expect(Set(names.values).count == 300)
        for paths in [Array(all[50..<150].reversed()), [all[299]], all] {
            let run = try await get(paths).outcome
            #expect(run.exitCode == 0)
            for result in try run.results { #expect(result.output == names[result.url]) }
            try expectImages(all)
        }
    }

    @Test("processes that run at the same time into one folder lose no image")
    func processes() async throws {
        defer { server.stop() }
        // Two of them load the same images.
        let running = try (hundreds + [hundreds[0]]).map { try get($0, "--no-cache") }
        for run in running {
            let outcome = try await run.outcome
            #expect(outcome.exitCode == 0, "\(outcome)")
        }
        try expectImages(hundreds.flatMap { $0 })
    }

    @Test("an image that failed and is loaded later takes no other image's file")
    func later() async throws {
        let image = try Images.encoded(.png)
        let isUp = Gate()
        let server = try OriginServer { request in
            request.path == "/1/a.png" && !isUp.isOpen ? .init(404) : .init(body: image + Array(request.path.utf8))
        }
        defer { server.stop() }
        self.server.stop()
        let urls = (1...3).map { server.url("/\($0)/a.png").absoluteString }
        let first = try await work.start(["get"] + urls + ["-o", "out/", "--json"]).outcome
        #expect(first.exitCode == 1)
        try expectImages(["/2/a.png", "/3/a.png"])
        isUp.open()
        #expect(try await work.run("get", urls[0], "-o", "out/").exitCode == 0)
        try expectImages(["/1/a.png", "/2/a.png", "/3/a.png"])
        #expect(try origin("out/a.png") == "/1/a.png")
    }

    @Test(
        "what was interrupted is completed by the same call, and nothing is there twice",
        arguments: [SIGTERM, SIGKILL]
    )
    func interruption(signal: Int32) async throws {
        let image = try Images.encoded(.png)
        let (isRequested, mayEnd) = (Gate(), Gate())
        let server = try OriginServer { request in
            let response = OriginServer.Response(body: image + Array(request.path.utf8))
            guard request.path.hasPrefix("/20/") else { return response }
            return .init(steps: [.open(isRequested), .wait(mayEnd)] + response.steps)
        }
        defer { server.stop() }
        self.server.stop()
        let paths = (0..<40).map { "/\($0)/a.png" }
        let command = ["get"] + paths.map { server.url($0).absoluteString } + ["-o", "out/", "--json"]
        let running = try work.start(command + ["--concurrency", "1"])
        await isRequested.wait()
        running.process.send(signal: signal)
        _ = try await running.outcome
        mayEnd.open()
        try expectImages(paths[..<20])
        #expect(try await work.start(command).outcome.exitCode == 0)
        try expectImages(paths)
    }

    @Test("the same request replaces its file; other options are another request")
    func options() async throws {
        defer { server.stop() }
        var outputs: [String] = []
        for options in [
            [], ["--resize", "20x20"], ["--resize", "10x10"], ["--resize", "20x20", "--mode", "fill"],
            ["--format", "png"], ["--format", "jpeg"], ["--format", "jpeg", "--quality", "50"],
        ] {
            for _ in 0..<2 {
                let run = try await work.start(["get", url("/a.png"), "-o", "out/", "--json"] + options).outcome
                outputs.append(try #require(try run.results[0].output))
            }
        }
        #expect(Set(outputs).count == 7)
        #expect(Set(outputs) == Set(Workplace.files(below: work.folder)))
        #expect(try Images.info(try work.read(outputs[2])).size.width == 20)
        #expect(try Images.info(try work.read(outputs[4])).size.width == 10)
    }

    @Test("spellings of one URL are one image and one file, in one run and in the next")
    func spellings() async throws {
        defer { server.stop() }
        let spellings = ["/a.png", "/%61.png", "/b/../a.png", "/a.png#1"].map { url($0) }
        for arguments in [spellings, [spellings[1]], spellings.reversed()] {
            let run = try await work.start(["get"] + arguments + ["-o", "out/", "--json"]).outcome
            #expect(run.exitCode == 0)
        }
        #expect(Workplace.files(below: work.folder) == ["out/a.png"])
        #expect(Set(server.requests.map(\.path)).count == 1)
    }

    @Test("files of the user and of other programs stay, and links in the folder lead nowhere")
    func foreignFiles() async throws {
        defer { server.stop() }
        try #require(mkdir(work.path("out"), 0o700) == 0)
        for (name, address) in [("a.png", nil), ("b.png", url("/b.png"))] {
            try work.write([1], to: "out/\(name)")
            guard let address else { continue }
            // As wget and curl write it.
            let descriptor = open(work.path("out/\(name)"), O_RDWR | O_CLOEXEC)
            try? FileCalls.system.setAttribute(descriptor, FileOrigin.urlAttribute, address)
            close(descriptor)
        }
        try work.write([2], to: "target")
        try #require(symlink("../target", work.path("out/c.png")) == 0)
        for _ in 0..<2 {
            let run = try await get(["/a.png", "/b.png", "/c.png"]).outcome
            #expect(run.exitCode == 0)
            for result in try run.results {
                #expect(try result.url == url(origin(try #require(result.output))))
            }
            for name in ["a.png", "b.png"] { #expect(try work.read("out/\(name)") == [1]) }
            #expect(try work.read("target") == [2])
            #expect(Workplace.files(below: work.folder).count == 7)
        }
    }

    @Test("a file into which another program has written since is not replaced")
    func rewrittenFile() async throws {
        defer { server.stop() }
        #expect(try await get(["/a.png"]).outcome.exitCode == 0)
        let file = try #require(Workplace.files(below: work.folder).first)
        // In place, as `cp` and `curl -o` do, so that the attributes stay.
        try work.write([1, 2, 3], to: file)
        for _ in 0..<2 {
            #expect(try await get(["/a.png"]).outcome.exitCode == 0)
            #expect(try work.read(file) == [1, 2, 3])
            #expect(Workplace.files(below: work.folder).count == 2)
        }
    }

    @Test(
        "a file without attributes that has the image, as in a folder that was copied, is that of the image",
        arguments: [[], ["--resize", "20"]]
    )
    func copiedFolder(options: [String]) async throws {
        defer { server.stop() }
        let paths = ["/1/a.png", "/2/a.png", "/b.png"]
        #expect(try await work.start(["get"] + paths.map(url) + ["-o", "first/"] + options).outcome.exitCode == 0)
        let names = Workplace.files(below: work.path("first"))
        try #require(names.count == 3 && mkdir(work.path("out"), 0o700) == 0)
        for name in names { try work.write(try work.read("first/" + name), to: "out/" + name) }
        // Another's file of a name of the image, and a link to one with its bytes.
        try work.write([1], to: "out/c.png")
        try work.write(try Images.encoded(.png) + Array("/d.png".utf8), to: "d")
        try #require(symlink("../d", work.path("out/d.png")) == 0)
        let count = server.requests.count
        let others = ["/c.png", "/d.png"]
        for paths in [paths + others, paths.reversed() + others] {
            let run = try await work.start(["get"] + paths.map(url) + ["-o", "out/", "--json"] + options).outcome
            #expect(run.exitCode == 0)
            #expect(try Set(run.results.prefix(3).map(\.output)) == Set(names.map { "out/" + $0 }))
            #expect(Workplace.files(below: work.path("out")).count == 7)
            #expect(try work.read("out/c.png") == [1])
        }
        // Those of the folder that was copied are in the cache.
        #expect(server.requests.count == count + 2)
    }

    @Test("a file that is named is replaced, and so carries its origin")
    func namedFile() async throws {
        defer { server.stop() }
        for path in ["/1/a.png", "/2/a.png"] {
            #expect(try await work.run("get", url(path), "-o", "named").exitCode == 0)
            #expect(try origin("named") == path)
        }
        #expect(Workplace.files(below: work.folder) == ["named"])
        // Into its folder it is the file of a request as any other.
        try #require(rename(work.path("named"), work.path("a.png")) == 0)
        #expect(try await work.run("get", url("/1/a.png"), url("/2/a.png"), "-o", ".").exitCode == 0)
        #expect(Workplace.files(below: work.folder).count == 2)
        #expect(try origin("a.png") == "/2/a.png")
    }

    @Test("a file carries its URL without what may be secret")
    func attributes() async throws {
        defer { server.stop() }
        let secret = url("/a.png?token=hunter2#hunter3").replacing("http://", with: "http://user:hunter4@")
        let run = try await work.run("get", secret, "-o", "out/", "--json")
        #expect(run.exitCode == 0)
        let file = work.path("out/a.png")
        // A file system without attributes has another name.
        guard FileManager.default.fileExists(atPath: file) else { return }
        #expect(try FileCalls.system.attribute(file, FileOrigin.urlAttribute) == url("/a.png"))
        #expect(try FileCalls.system.attribute(file, FileOrigin.requestAttribute).utf8.count == 32)
        // The credential tells requests apart, in every process of this user.
        #expect(try await work.run("get", secret, "-o", "out/").exitCode == 0)
        #expect(Workplace.files(below: work.folder).count == 1)
        let other = secret.replacing("hunter4", with: "hunter5")
        #expect(try await work.run("get", other, "-o", "out/").exitCode == 0)
        #expect(Workplace.files(below: work.folder).count == 2)
    }

    @Test(
        "a file system without attributes has files of all images too, under names with digits",
        .enabled(if: MountedDisk.isPossible, "mounting a file system needs the superuser")
    )
    func noAttributes() async throws {
        defer { server.stop() }
        let disk = try #require(MountedDisk(at: work.path("out"), kind: "ramfs"))
        for _ in 0..<2 {
            for paths in hundreds { #expect(try await get(paths).outcome.exitCode == 0) }
            try expectImages(hundreds.flatMap { $0 })
        }
        for name in Workplace.files(below: disk.path) {
            #expect(name.wholeMatch(of: /300-[0-9a-f]{16}\.png/) != nil, "\(name)")
        }
    }

    @Test("names that are too long, equal but for case, or made of dots lose no image")
    func oddNames() async throws {
        defer { server.stop() }
        let long = String(repeating: "n", count: 240)
        let paths = [
            "/\(long)1.png", "/\(long)2.png", "/a.png", "/A.png", "/1/%2E%2E", "/3/%2E", "/image.png",
            "/4/image.jpg", "/image-2.png",
        ]
        for _ in 0..<2 {
            let run = try await get(paths).outcome
            #expect(run.exitCode == 0)
            let outputs = try run.results.compactMap(\.output)
            #expect(Set(outputs).count == paths.count)
            #expect(Workplace.files(below: work.folder) == outputs.sorted())
        }
    }

    @Test("the table names the files")
    func table() async throws {
        defer { server.stop() }
        let run = try await work.run("get", url("/1/a.png"), url("/2/a.png"), url("/missing/a.png"), "-o", "out/")
        for name in Workplace.files(below: work.path("out")) { #expect(run.output.contains("\n\(name) ")) }
        #expect(run.lines.filter { $0.hasPrefix("a.png ") }.count == 2)
    }

    @Test("blanks and line ends around a URL are no part of it")
    func blanks() async throws {
        defer { server.stop() }
        for argument in [" \(url("/a.png"))\r", "\t\(url("/a.png"))\n ", url("/a.png")] {
            let run = try await work.run("get", argument, "-o", "out/", "--json")
            #expect(run.exitCode == 0)
            #expect(try run.results.map(\.url) == [url("/a.png")])
            #expect(try await work.run("info", argument).exitCode == 0)
            #expect(try await work.run("convert", argument, "b.png").exitCode == 0)
        }
        #expect(Set(server.requests.map(\.path)) == ["/a.png"])
        #expect(Workplace.files(below: work.path("out")) == ["a.png"])
        // Names of files may have them.
        try work.write(try Images.encoded(.png), to: " a.png ")
        #expect(try await work.run("info", " a.png ").exitCode == 0)
    }
}
