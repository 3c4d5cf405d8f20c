import Glibc
import Halcyon
import HalcyonTesting
import Testing

@testable import HalcyonCommand

/// Processors, sizes, animations, metadata and 16 bits at the command.
@Suite struct ProcessTests {
    private let work: Workplace

    init() throws { work = try Workplace() }

    @Test(
        "a processor at the command is that of its name in Swift",
        arguments: [
            ("downsample 20x20", .downsample(to: .pixels(20, 20))),
            ("resize 20x30 mode=fill anchor=topLeft", .resize(to: .pixels(20, 30), mode: .fill, anchor: .topLeft)),
            ("crop 20x10", .crop(to: .pixels(20, 10))),
            ("crop 1,2,30,20", .crop(to: .pixels(x: 1, y: 2, width: 30, height: 20))),
            ("crop 10%,20%,50%,50%", .crop(to: .relative(x: 0.1, y: 0.2, width: 0.5, height: 0.5))),
            ("flip vertical", .flip(.vertical)), ("rotate 30", .rotate(byDegrees: 30)),
            ("rotate quarterTurns=1", .rotate(quarterTurns: 1)), ("orient leftMirrored", .orient(.leftMirrored)),
            ("blur 2", .blur(radius: .pixels(2))), ("blur 5%", .blur(radius: .widthFraction(0.05))),
            ("sharpen 2 amount=0.5", .sharpen(radius: .pixels(2), amount: 0.5)),
            ("roundCorners 5 corners=top", .roundCorners(radius: .pixels(5), corners: .top)),
            (
                "circle border=2,#ff0000",
                .circle(border: Border(width: .pixels(2), color: Color(red: 1, green: 0, blue: 0)))
            ),
            ("border 3 white", .border(Border(width: .pixels(3), color: .white))),
            ("overlay black fraction=0.25", .overlay(.black, fraction: 0.25)),
            ("tint white mode=screen", .tint(.white, mode: .screen)),
            ("blend multiply opacity=0.5", .blend(.multiply, opacity: 0.5)), ("background white", .background(.white)),
            ("opacity 0.5", .opacity(0.5)), ("colorControls contrast=1.5", .colorControls(contrast: 1.5)),
            ("blackAndWhite", .blackAndWhite),
            ("adjustColors sepia=1 inverted=0.5", .adjustColors([.sepia(1), .inverted(0.5)])),
            (" downsample  20x20 | blur 8", .downsample(to: .pixels(20, 20)) |> .blur(radius: .pixels(8))),
        ] as [(String, ImageProcessorChain)]
    )
    func names(text: String, chain: ImageProcessorChain) throws {
        #expect(try ProcessArgument(text).chain == chain)
    }

    @Test(
        "a step that makes no sense is named with what is right",
        arguments: [
            "", "blurr 8", "blur", "blur x", "blur 8 9", "blur 8 amount=1", "flip sideways", "tint nocolour",
            "blur 8 |", "blur \"8", "crop -9223372036854775808,0,5,5", "watermark missing.png", "watermark .",
        ]
    )
    func mistakes(text: String) {
        #expect(throws: (any Error).self) { try ProcessArgument(text) }
    }

    @Test("--process runs on what is written, and other steps are another request")
    func processed() async throws {
        try work.write(try Images.encoded(.png, width: 100, height: 50), to: "a.png")
        for (steps, width) in [("downsample 40x40 | border 2 white", 40), ("crop 30x30 | rotate quarterTurns=1", 30)] {
            let run = try await work.run("get", "a.png", "-o", "out/", "--process", steps, "--json")
            #expect(try run.results.map(\.width) == [width], "\(run)")
        }
        #expect(Workplace.files(below: work.path("out")).count == 2)
    }

    @Test("a watermark may have blanks in its name, and another one in the same file is another request")
    func watermark() async throws {
        for name in ["a.png", "my logo|1.png"] { try work.write(try Images.encoded(.png), to: name) }
        let steps = #"watermark "my logo|1.png" opacity=0.5 | blur 1"#
        let command = ["get", "a.png", "-o", "out/", "--process", steps, "--json"]
        for status in ["done", "skipped"] {
            #expect(try await work.start(command).outcome.results.map(\.status) == [status])
        }
        try work.write(try Images.encoded(.png, width: 20, height: 20), to: "my logo|1.png")
        #expect(try await work.start(command).outcome.results.map(\.status) == ["done"])
        #expect(Workplace.files(below: work.path("out")).count == 2)
        let missing = try await work.run("get", "a.png", "--process", "watermark missing.png")
        #expect(missing.exitCode == 64)
        #expect(missing.error.contains("missing.png cannot be read: No such file or directory"), "\(missing.error)")
        #expect(try ProcessArgument(#"blur "8""#).identity == ProcessArgument("blur 8").identity)
    }

    @Test("another size of --sizes is made alone, and the others stay")
    func furtherSize() async throws {
        try work.write(try Images.encoded(.png, width: 300, height: 150), to: "a.png")
        let command = ["get", "a.png", "-o", "out/", "--json", "--sizes"]
        #expect(try await work.start(command + ["40,80"]).outcome.exitCode == 0)
        let run = try await work.start(command + ["40,80,160"]).outcome
        #expect(
            Set(try run.results.map { "\($0.output ?? "") \($0.status ?? "")" })
                == ["out/a-40.png skipped", "out/a-80.png skipped", "out/a-160.png done"]
        )
        #expect(Workplace.files(below: work.path("out")).count == 3)
    }

    @Test("--sizes writes each size of one transfer and one decoding")
    func sizes() async throws {
        let photo = try Images.encoded(.jpeg, width: 300, height: 150)
        let server = try OriginServer { _ in .init(body: photo) }
        defer { server.stop() }
        let command = ["get", server.url("/a.jpg").absoluteString, "-o", "out/", "--sizes", "40,80,160", "--json"]
        let run = try await work.start(command + ["--stats", "--no-cache"]).outcome
        #expect(run.exitCode == 0 && run.output.contains("\"decodings\":1,"))
        #expect(server.requests.count == 1)
        for size in [40, 80, 160] {
            #expect(try Images.info(work.read("out/a-\(size).jpg")).size == PixelSize(size, size / 2))
        }
        #expect(try await work.start(command).outcome.results.map(\.status) == ["skipped", "skipped", "skipped"])
        #expect(server.requests.count == 1)
    }

    @Test("animations stay animated in formats that can, and a person is told where one cannot")
    func animations() async throws {
        var writer = try GIFWriter(size: PixelSize(8, 8), loopCount: 0)
        for white in [0.0, 0.5, 1.0] {
            var bitmap = try Bitmap(size: PixelSize(8, 8))
            bitmap.fill(PixelRect(x: 0, y: 0, width: 8, height: 8), with: Color(white: white))
            try writer.append(bitmap)
        }
        try work.write([UInt8](try writer.finish()), to: "in.gif")
        #expect(try await work.run("get", "in.gif", "-o", "out/", "--resize", "4").exitCode == 0)
        #expect(try Images.info(work.read("out/in.gif")).frameCount == 3)
        for (name, count) in [("a.webp", 3), ("a.png", 3), ("a.gif", 3), ("a.jpg", 1)] {
            let run = try await work.run("convert", "in.gif", name)
            #expect(run.exitCode == 0 && run.output.isEmpty)
            #expect(try Images.info(work.read(name)).frameCount == count, "\(name)")
            #expect(run.error.contains("not the animation of 3 frames") == (count == 1))
            let json = try await work.run("convert", "in.gif", name, "--json")
            #expect(json.lines[0].contains(#""note":"jpeg holds one image"#) == (count == 1))
        }
    }

    @Test("a person is told that a file of several pages becomes one of its first")
    func pages() async throws {
        let page = try Bitmap(size: PixelSize(8, 8), isOpaque: true)
        try work.write([UInt8](try Images.codecs.encode(pages: [page, page, page], as: .tiff)), to: "in.tif")
        for (options, isTold) in [([], true), (["--frame", "1"], false)] as [([String], Bool)] {
            let run = try await work.start(["convert", "in.tif", "out.png", "--overwrite"] + options).outcome
            #expect(run.exitCode == 0)
            #expect(run.error.contains("of 3 pages it has the first") == isTold, "\(run.error)")
        }
    }

    @Test("convert takes a folder, keeps its tree, and leaves out what is done")
    func folder() async throws {
        for folder in ["photos", "photos/sub"] { try #require(mkdir(work.path(folder), 0o700) == 0) }
        for name in ["photos/a.png", "photos/sub/a.png", "photos/sub/b.jpg"] {
            try work.write(try Images.encoded(name.hasSuffix("png") ? .png : .jpeg), to: name)
        }
        try work.write([1], to: "photos/notes.txt")
        let command = ["convert", "photos", "photos/small/", "--format", "webp", "--resize", "20", "--json"]
        for status in ["done", "skipped"] {
            let run = try await work.start(command).outcome
            #expect(run.exitCode == 0)
            #expect(try run.results.map(\.status) == [status, status, status])
            #expect(Workplace.files(below: work.path("photos/small")) == ["a.webp", "sub/a.webp", "sub/b.webp"])
        }
        let piped = try await work.start(["convert", "-", "-", "--format", "webp"], input: "photos/a.png").outcome
        #expect(piped.exitCode == 0 && piped.output.hasPrefix("RIFF"))
    }

    @Test("16 bits stay where the format has them")
    func depth() async throws {
        let bitmap = try Bitmap(size: PixelSize(8, 8)).converted(to: .sixteen)
        try work.write([UInt8](try ImageCodecs.standard.encode(bitmap, as: .png)), to: "a.png")
        for (name, depth) in [("b.png", 16), ("b.webp", 8)] {
            #expect(try await work.run("convert", "a.png", name, "--resize", "4").exitCode == 0)
            #expect(try Images.info(work.read(name)).bitDepth == depth)
        }
    }

    @Test("16 bits stay in PAM, and are on the contact sheet")
    func depthOfPAM() async throws {
        var bitmap = try Bitmap(size: PixelSize(2, 1)).converted(to: .sixteen)
        bitmap.fill(PixelRect(size: bitmap.size), with: Color(red: 1, green: 0.5, blue: 0))
        try work.write([UInt8](try ImageCodecs.standard.encode(bitmap, as: .png)), to: "a.png")
        let run = try await work.run("get", "a.png", "--format", "pam", "-o", "out/", "--sheet", "sheet.png")
        #expect(run.exitCode == 0, "\(run.error)")
        let head = "P7\nWIDTH 2\nHEIGHT 1\nDEPTH 4\nMAXVAL 65535\nTUPLTYPE RGB_ALPHA\nENDHDR\n"
        let samples = bitmap.straightRGBA16().flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }
        #expect(try work.read("out/a.pam") == Array(head.utf8) + samples)
        let sheet = try Images.decoded(work.read("sheet.png")).straightRGBA()
        #expect(Set(stride(from: 0, to: sheet.count, by: 4).map { Array(sheet[$0..<$0 + 3]) }).contains([255, 128, 0]))
    }
}
