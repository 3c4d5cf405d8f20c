import Halcyon
import HalcyonTesting
import Testing

@Suite("The bytes that get writes")
struct EncodedOutputTests {
    /// The parts of the cache that are left for the second run.
    enum Rest: CaseIterable {
        case everything
        /// The original alone.
        case original
        /// The original, and the image that a run without output stored.
        case processedImage
    }

    private let work: Workplace
    private let photo: [UInt8]

    init() throws {
        work = try Workplace()
        photo = try Images.encoded(.jpeg)
    }

    @Test(
        "are the same from the network, from memory and from what is on disk",
        arguments: Rest.allCases,
        ["jpeg", "png", "webp"]
    )
    func sources(rest: Rest, format: String) async throws {
        let photo = photo
        let server = try OriginServer { _ in .init(body: photo) }
        defer { server.stop() }
        let url = server.url("/a.jpg").absoluteString
        let options = [url, "--resize", "20x15", "--json"]
        let cold = try await work.start(["get", "--format", format, "--repeat", "2", "-o", "cold"] + options).outcome
        #expect(try cold.results.map(\.source) == ["network", "memory"])
        if rest != .everything { try await keepOriginal(url) }
        if rest == .processedImage {
            #expect(try await work.start(["get"] + options).outcome.results.map(\.source) == ["disk"])
        }
        let warm = try await work.start(["get", "--format", format, "-o", "warm", "--cache-only"] + options).outcome
        #expect(try warm.results.map(\.source) == ["disk"])
        #expect(try firstDifference(work.read("cold"), work.read("warm")) == nil)
        #expect(try Images.info(work.read("warm")).format.rawValue == format)
        #expect(server.requestCount("/a.jpg") == 1)
    }

    @Test("are made once: the next run finds them on disk and encodes nothing")
    func stored() async throws {
        let photo = photo
        let server = try OriginServer { _ in .init(body: photo) }
        defer { server.stop() }
        let arguments = ["get", server.url("/a.jpg").absoluteString, "--resize", "20x15", "-o", "a.webp", "--json"]
        let cold = try await work.start(arguments).outcome
        #expect(try cold.results[0].milliseconds?["encode"] != nil)
        let warm = try await work.start(arguments + ["--overwrite"]).outcome
        let times = try #require(try warm.results[0].milliseconds)
        #expect(times["disk"] != nil && times["decode"] == nil && times["encode"] == nil)
    }

    @Test("are of fewer bytes with more effort, and of the same pixels")
    func effort() async throws {
        try work.write(try Images.encoded(.png, width: 200, height: 150), to: "in.png")
        try work.write(try Images.encoded(.jpeg, width: 200, height: 150), to: "in.jpg")
        for (input, command) in [("in.png", "convert"), ("in.jpg", "convert"), ("in.jpg", "get")] {
            var files: [[UInt8]] = []
            for effort in ["1", "9"] {
                let (output, isGet) = ("\(effort).jpg", command == "get")
                let paths = isGet ? [input, "--overwrite", "-o", output] : [input, output]
                let run = try await work.start([command] + paths + ["--effort", effort]).outcome
                #expect(run.exitCode == 0, "\(run.error)")
                files.append(try work.read(output))
            }
            #expect(files[0].count > files[1].count)
            #expect(try Images.decoded(files[0]).straightRGBA() == Images.decoded(files[1]).straightRGBA())
        }
    }

    @Test("are those of a progressive JPEG on request, in the original's format too; other formats stay as they are")
    func progressive() async throws {
        try work.write(photo, to: "in.jpg")
        try work.write(try Images.encoded(.png), to: "in.png")
        #expect(!Self.isProgressive(photo))
        for arguments in [
            ["convert", "in.png", "a.jpg"], ["convert", "in.jpg", "a.jpg"], ["get", "in.jpg", "-o", "a.jpg"],
            ["get", "in.jpg", "-o", "a.jpg", "--resize", "20"], ["convert", "in.jpg", "a.jpg", "--effort", "9"],
        ] {
            let run = try await work.start(arguments + ["--progressive"]).outcome
            #expect(run.exitCode == 0, "\(run.error)")
            #expect(Self.isProgressive(try work.read("a.jpg")))
        }
        let plain = try await work.run("convert", "in.jpg", "a.jpg", "--quality", "50")
        #expect(try plain.exitCode == 0 && !Self.isProgressive(work.read("a.jpg")))
        for option in [[], ["--progressive"]] {
            #expect(try await work.start(["convert", "in.jpg", "\(option.count).webp"] + option).outcome.exitCode == 0)
        }
        #expect(try work.read("0.webp") == work.read("1.webp"))
    }

    @Test("are the original's where nothing of it is to be changed, and others with a quality or an effort")
    func sameFormat() async throws {
        try work.write(photo, to: "in.jpg")
        for (options, isKept) in [
            ([], true), (["--format", "jpeg"], true), (["--background", "red"], true), (["--lossless"], true),
            (["--quality", "20"], false), (["--effort", "1", "--format", "jpeg"], false),
        ] {
            for command in [["get", "in.jpg", "--overwrite", "-o", "a.jpg"], ["convert", "in.jpg", "a.jpg"]] {
                #expect(try await work.start(command + options).outcome.exitCode == 0)
                #expect(try (work.read("a.jpg") == photo) == isKept, "\(command) \(options)")
            }
        }
        // Each is a request of its own.
        for options in [[], ["--effort", "3"], ["--effort", "4"], ["--progressive"]] {
            for status in ["done", "skipped"] {
                let run = try await work.start(["get", "in.jpg", "-o", "out/", "--json"] + options).outcome
                #expect(try run.results.map(\.status) == [status], "\(options)")
            }
        }
        #expect(Workplace.files(below: work.path("out")).count == 4)
    }

    @Test(
        "are the original's where its format has no such choice",
        arguments: [
            (ImageFormat.jpeg, [false, false, false]), (.png, [true, false, true]), (.webp, [false, false, true]),
            (.gif, [true, true, true]),
        ]
    )
    func formatsWithoutChoice(format: ImageFormat, areKept: [Bool]) async throws {
        // Bytes behind the end, which only a true copy keeps.
        let original = try Images.encoded(format) + Array("kept".utf8)
        let name = "in.\(format.rawValue)"
        try work.write(original, to: name)
        for (options, isKept) in zip([["--quality", "85"], ["--effort", "2"], ["--progressive"]], areKept) {
            let output = "a.\(format.rawValue)"
            let folder = "out\(options[0])/"
            for command in [
                ["get", name, "--overwrite", "-o", output], ["convert", name, output], ["get", name, "-o", folder],
            ] {
                let run = try await work.start(command + options).outcome
                #expect(run.exitCode == 0, "\(run.error)")
                let files = Workplace.files(below: work.path(folder)).map { folder + $0 }
                let file = try work.read(command.last == folder ? #require(files.first) : output)
                #expect((file == original) == isKept, "\(command) \(options)")
            }
        }
    }

    @Test("are without loss where the original is and its format stays, unless a quality is named")
    func lossless() async throws {
        let bitmap = try Images.decoded(Images.encoded(.png, width: 61, height: 40))
        let exact = EncodeOptions(quality: nil)
        try work.write([UInt8](try ImageCodecs.standard.encode(bitmap, as: .webp, options: exact)), to: "in.webp")
        try work.write([UInt8](try ImageCodecs.standard.encode(bitmap, as: .webp)), to: "lossy.webp")
        try work.write([UInt8](try ImageCodecs.standard.encode(bitmap, as: .png)), to: "in.png")
        for (input, options, isLossless) in [
            ("in.webp", ["--effort", "2"], true), ("in.webp", ["--effort", "2", "--keep-metadata", "all"], true),
            ("in.webp", ["--resize", "20"], true), ("in.webp", ["--effort", "2", "--quality", "85"], false),
            ("in.webp", ["--effort", "2", "--lossless"], true), ("lossy.webp", ["--effort", "2"], false),
            ("in.png", ["--effort", "2"], false),
        ] {
            for command in [["get", input, "--overwrite", "-o", "a.webp"], ["convert", input, "a.webp"]] {
                let run = try await work.start(command + options).outcome
                #expect(run.exitCode == 0, "\(run.error)")
                let file = try work.read("a.webp")
                // The first chunk of a file without metadata (RFC 9649, sections 2.5 and 2.6).
                #expect((Array(file[12..<16]) == Array("VP8L".utf8)) == isLossless, "\(command) \(options)")
                guard isLossless, !options.contains("--resize") else { continue }
                #expect(try Images.decoded(file).straightRGBA() == bitmap.straightRGBA())
            }
        }
    }

    @Test("are those of a drawing as it came, with an option of encoders")
    func drawing() async throws {
        let text = #"<svg xmlns="http://www.w3.org/2000/svg" width="4" height="4"><path d="M0 0h4v4z"/></svg>"#
        let drawing = Array(text.utf8)
        try work.write(drawing, to: "in.svg")
        let run = try await work.run("get", "in.svg", "-o", "out/", "--progressive", "--effort", "2", "--quality", "50")
        #expect(run.exitCode == 0, "\(run.error)")
        #expect(try work.read("out/in.svg") == drawing)
    }

    @Test("are others with the default quality, if it is named: that is a request of its own")
    func namedDefault() async throws {
        // Bytes behind the end, which only a true copy keeps.
        let photo = photo + Array("kept".utf8)
        try work.write(photo, to: "in.jpg")
        for (options, isKept) in [([], true), (["--quality", "85"], false)] {
            for status in ["done", "skipped"] {
                let run = try await work.start(["get", "in.jpg", "-o", "a.jpg", "--json"] + options).outcome
                #expect(try run.results.map(\.status) == [status], "\(options)")
                #expect(try (work.read("a.jpg") == photo) == isKept)
            }
        }
    }

    /// Whether a JPEG file has the marker SOF2 (T.81, table B.1).
    private static func isProgressive(_ file: [UInt8]) -> Bool {
        zip(file, file.dropFirst()).contains { $0 == 0xFF && $1 == 0xC2 }
    }

    @Test(
        "of an image are on the contact sheet, which needs no second transfer",
        arguments: ["png", "pam", "jpeg"],
        [[], ["--no-cache"]]
    )
    func contactSheet(format: String, options: [String]) async throws {
        let photo = photo
        let server = try OriginServer { _ in .init(body: photo) }
        defer { server.stop() }
        let urls = ["/a.jpg", "/b.jpg"].map { server.url($0).absoluteString }
        let run = try await work.start(
            ["get", "--format", format, "-o", "out/", "--sheet", "sheet.png", "--json"] + options + urls
        ).outcome
        #expect(run.exitCode == 0, "\(run.error)")
        let bitmap = try Images.decoded(work.read("sheet.png"))
        #expect(Set(bitmap.straightRGBA()).count > 2)
        #expect(server.requests.count == 2)
    }

    /// Stores the original alone in the cache of the command.
    private func keepOriginal(_ url: String) async throws {
        let cache = ImageCache(disk: .init(folder: work.cacheFolder))
        let count = try await cache.removeFromDisk { $0.isProcessed }
        #expect(count == 1)
        await cache.flush()
    }
}
