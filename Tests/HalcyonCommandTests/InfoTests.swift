import Halcyon
import HalcyonTesting
import Testing

@Suite struct InfoTests {
    /// A line that `info --json` printed.
    struct Line: Decodable, Equatable {
        var path: String
        var format: String
        var width: Int
        var height: Int
        var displayWidth: Int
        var displayHeight: Int
        var frames: Int
        var durations: [Int]
        var loop: Int?
        var orientation: Int
        var bitDepth: Int
        var alpha: Bool
        var colorSpace: String
    }

    private let work: Workplace

    init() throws { work = try Workplace() }

    @Test("a file whose name looks like options is named with -- or ./")
    func optionLikeName() async throws {
        try work.write(try Images.encoded(.png), to: "-highres.png")
        for arguments in [["--", "-highres.png"], ["./-highres.png"]] {
            let run = try await work.start(["info"] + arguments).outcome
            #expect(run.exitCode == 0 && run.output.contains("-highres.png: PNG, 40×30"), "\(run)")
        }
    }

    @Test("every field is there for every image, the loop of a still image as a null")
    func fields() async throws {
        try work.write(try Images.encoded(.png), to: "a.png")
        try work.write(try Images.encoded(.jpeg), to: "b.jpg")
        let run = try await work.run("info", "a.png", "b.jpg", "--json")
        #expect(run.exitCode == 0)
        for line in 0..<2 {
            #expect(
                try run.fields(line: line) == [
                    "path", "format", "width", "height", "displayWidth", "displayHeight", "frames", "framesAreExact",
                    "durations", "loop", "orientation", "bitDepth", "alpha", "colorSpace",
                ]
            )
        }
        #expect(run.lines[0].contains(#""loop":null"#))
        let lines = try run.records(Line.self)
        #expect(lines.map(\.path) == ["a.png", "b.jpg"])
        #expect(lines.map(\.format) == ["png", "jpeg"])
        #expect(lines.allSatisfy { $0.width == 40 && $0.height == 30 && $0.displayWidth == 40 && $0.frames == 1 })
        #expect(lines.allSatisfy { $0.orientation == 1 && $0.durations.isEmpty })
        // Two colours are a palette of one bit.
        #expect(lines.map(\.bitDepth) == [1, 8])
    }

    @Test("the header is enough: pixels that are nonsense, or too many, do no harm")
    func headerOnly() async throws {
        try work.write(Images.pngHeader(width: 30, height: 20), to: "nonsense.png")
        let run = try await work.run("info", "nonsense.png", "--json")
        #expect(run.exitCode == 0)
        let line = try #require(try run.records(Line.self).first)
        #expect(line.width == 30 && line.height == 20 && line.alpha)
    }

    @Test("images that are decoded in the command for want of a confined process are told of, once")
    func withoutWorker() async throws {
        for name in ["a.avif", "b.avif"] { try work.write(try Images.encoded(.avif), to: name) }
        // No file may be large enough for the memory that is shared with a worker.
        let shell = "ulimit -f 2 && exec \"$0\" info a.avif b.avif"
        let run = try await work.start(["-c", shell, Workplace.executable], executable: "/bin/sh").outcome
        #expect(run.exitCode == 0 && run.lines.count == 2, "\(run)")
        let told = "halcyon: AVIF is decoded in this process and not in a confined one: "
        #expect(run.error.hasPrefix(told) && run.error.split(separator: "\n").count == 1, "\(run.error)")
    }

    @Test("an image that cannot be read stops no other")
    func failure() async throws {
        let photo = try Images.encoded(.webp)
        try work.write(photo, to: "b.webp")
        try work.write(Array("<html></html>".utf8), to: "a.html")
        let json = try await work.run("info", "a.html", "b.webp", "--json")
        #expect(json.exitCode == 1 && json.error.isEmpty)
        #expect(json.lines.count == 2)
        #expect(try json.fields(line: 0) == ["path", "error"])
        let text = try await work.run("info", "a.html", "b.webp")
        #expect(text.exitCode == 1)
        #expect(text.error.hasPrefix("halcyon: Decoding a.html failed: this is no image but"))
        #expect(text.output.hasPrefix("b.webp: WebP, 40×30, "))
    }

    @Test("an image of a URL is looked at without being stored")
    func url() async throws {
        let photo = try Images.encoded(.gif)
        let server = try OriginServer { _ in .init(body: photo) }
        defer { server.stop() }
        let run = try await work.run("info", server.url("/a.gif").absoluteString, "--json")
        #expect(run.exitCode == 0)
        #expect(try run.records(Line.self).map(\.format) == ["gif"])
    }
}
