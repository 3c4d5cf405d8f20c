import Glibc
import HTTPTypes
import Halcyon
import HalcyonTesting
import Testing

@testable import HalcyonCommand

@Suite("halcyon show")
struct ShowTests {
    private let work: Workplace

    init() throws { work = try Workplace() }

    /// An image with a colour in each quarter, one of them transparent, and an odd number of rows.
    private static func quarters(width: Int = 41, height: Int = 31) throws -> Bitmap {
        var bitmap = try Bitmap(size: PixelSize(width, height))
        let (left, top) = (width / 2, height / 2)
        bitmap.fill(PixelRect(x: 0, y: 0, width: left, height: top), with: Color(red: 1, green: 0, blue: 0))
        bitmap.fill(
            PixelRect(x: left, y: 0, width: width - left, height: top),
            with: Color(red: 0.2, green: 0.6, blue: 1)
        )
        bitmap.fill(PixelRect(x: 0, y: top, width: left, height: height - top), with: Color(white: 0.4))
        return bitmap
    }

    private static func shown(_ text: String, as graphics: GraphicsProtocol) throws -> ShownImage {
        switch graphics {
        case .kitty: try #require(try ShownImage.kitty(in: text).first)
        case .sixel: try #require(ShownImage.sixel(in: text).first)
        case .blocks: ShownImage(blocks: text)
        }
    }

    @Test(
        "the pixels of an image come through each protocol, transparent ones undrawn",
        arguments: GraphicsProtocol.allCases
    )
    func pixels(graphics: GraphicsProtocol) async throws {
        let bitmap = try Self.quarters()
        try work.write([UInt8](try ImageCodecs.standard.encode(bitmap, as: .png)), to: "a.png")
        let run = try await work.run("show", "a.png", "--protocol", graphics.rawValue)
        #expect(run.exitCode == 0 && run.error.isEmpty)
        var expected = ShownImage(bitmap)
        // The lower half of the last line's characters.
        if graphics == .blocks { expected.rows.append(.init(repeating: nil, count: bitmap.width)) }
        // A colour of sixel is in percent.
        let distance = try #require(try Self.shown(run.output, as: graphics).distance(to: expected))
        #expect(distance <= (graphics == .sixel ? 2 : 0))
    }

    @Test("what is shown of a server is in the cache")
    func cached() async throws {
        let image = try Images.encoded(.png)
        let server = try OriginServer { _ in .init(headers: [.cacheControl: "max-age=1000"], body: image) }
        defer { server.stop() }
        let url = server.url("/a.png").absoluteString
        for _ in 0..<2 { #expect(try await work.run("show", url, "--protocol", "blocks").exitCode == 0) }
        #expect(try await work.run("get", url, "--cache-only").exitCode == 0)
        #expect(server.requestCount("/a.png") == 1)
    }

    @Test("faint pixels are laid over the terminal's background, and are opaque or transparent where that is not known")
    func transparency() throws {
        var bitmap = try Bitmap(size: PixelSize(3, 1))
        for (x, alpha) in [0.0, 0.25, 0.75].enumerated() {
            bitmap.fill(
                PixelRect(x: x, y: 0, width: 1, height: 1),
                with: Color(red: 1, green: 0, blue: 0, alpha: alpha)
            )
        }
        #expect(FlatPixels(bitmap, over: nil).values == [FlatPixels.transparent, FlatPixels.transparent, 0x0000FF])
        #expect(FlatPixels(bitmap, over: nil, keepsTransparency: false).values == [0, 0, 0x0000FF])
        let white = FlatPixels(bitmap, over: .white).values
        #expect(white[0] == FlatPixels.transparent && white[1] == 0xBFBFFF && white[2] == 0x4040FF)
    }

    @Test("a photograph of more colours than a sixel palette is shown close to itself")
    func sixelPalette() throws {
        var samples: [UInt8] = []
        for y in 0..<60 {
            for x in 0..<60 { samples += [UInt8(4 * x), UInt8(4 * y), UInt8(2 * (x + y)), 255] }
        }
        let bitmap = try samples.withUnsafeBytes { try Bitmap(premultiplying: $0, size: PixelSize(60, 60)) }
        for (count, limit) in [(256, 24), (16, 110)] {
            let image = try SixelImage(FlatPixels(bitmap, over: .black), colorCount: count)
            let text = String(decoding: image.bytes, as: UTF8.self)
            #expect(text.matches(of: /#[0-9]+;2;/).count <= count)
            let shown = try #require(ShownImage.sixel(in: text).first)
            #expect(try #require(shown.distance(to: ShownImage(bitmap))) <= limit)
        }
    }

    @Test("a terminal of 256 colours gets the nearest ones", .enabled(if: PseudoTerminal.isAvailable))
    func fewColors() async throws {
        try work.write(try Images.encoded(.png), to: "a.png")
        let terminal = try PseudoTerminal(columns: 80, replies: "\u{1B}[?1;2c")
        let running = try work.start(["show", "a.png", "--protocol", "blocks"], output: terminal.slave)
        _ = try await terminal.read(until: PseudoTerminal.question)
        #expect(try await running.outcome.exitCode == 0)
        let text = await terminal.readRest()
        #expect(text.contains("48;5;") && !text.contains("48;2;"))
        let distance = ShownImage(blocks: text).distance(to: ShownImage(try Images.decoded(try work.read("a.png"))))
        #expect(try #require(distance) <= 5)
    }

    @Test("an image is no larger than the terminal, and no larger than it is", arguments: GraphicsProtocol.allCases)
    func size(graphics: GraphicsProtocol) async throws {
        let bitmap = try Self.quarters(width: 1_600, height: 400)
        try work.write([UInt8](try ImageCodecs.standard.encode(bitmap, as: .png)), to: "a.png")
        let wide = try await work.run("show", "a.png", "--protocol", graphics.rawValue)
        #expect(
            try Self.shown(wide.output, as: graphics).size
                == (graphics == .blocks ? PixelSize(80, 20) : PixelSize(640, 160))
        )
        let narrow = try await work.run("show", "a.png", "--protocol", graphics.rawValue, "--columns", "20")
        let size = try Self.shown(narrow.output, as: graphics).size
        #expect(size == (graphics == .blocks ? PixelSize(20, 6) : PixelSize(160, 40)))
    }

    @Test(
        "the best protocol that the terminal says it has is used",
        .enabled(if: PseudoTerminal.isAvailable),
        arguments: [
            ("\u{1B}_Gi=31;OK\u{1B}\\\u{1B}]11;rgb:0000/0000/0000\u{1B}\\\u{1B}[6;20;10t\u{1B}[?62;4c", .kitty),
            ("\u{1B}_Gi=31;ENOTSUPPORTED:no\u{1B}\\\u{1B}[?63;1;2;4;6;9c", .sixel),
            ("\u{1B}[?1;0;1024S\u{1B}[?2;0;1000;1000S\u{1B}[?64;4c", .sixel),
            ("keys\u{1B}[A\u{1B}]11;rgb:ff/ff/ff\u{07}\u{1B}[?1;2c", .blocks), ("\u{1B}[?64;14;24c", .blocks),
        ] as [(String, GraphicsProtocol)]
    )
    func detection(replies: String, expected: GraphicsProtocol) async throws {
        try work.write(try Images.encoded(.png), to: "a.png")
        let terminal = try PseudoTerminal(columns: 80, replies: replies)
        let running = try work.start(
            ["show", "a.png"],
            settings: ["COLORTERM": "truecolor"],
            output: terminal.slave
        )
        _ = try await terminal.read(until: PseudoTerminal.question)
        let run = try await running.outcome
        #expect(run.exitCode == 0 && run.error.isEmpty)
        #expect(terminal.hasEcho)
        let shown = try Self.shown(await terminal.readRest(), as: expected)
        let distance = shown.distance(to: ShownImage(try Images.decoded(try work.read("a.png"))))
        #expect(try #require(distance) <= 2)
    }

    @Test("a terminal that replies nothing gets half blocks", .enabled(if: PseudoTerminal.isAvailable))
    func silentTerminal() async throws {
        try work.write(try Images.encoded(.png), to: "a.png")
        let terminal = try PseudoTerminal(columns: 80)
        let run = try await work.start(["show", "a.png"], output: terminal.slave).outcome
        #expect(run.exitCode == 0)
        #expect(terminal.hasEcho)
        #expect(await terminal.readRest().contains("48;5;"))
    }

    @Test(
        "a terminal in tmux or screen is not asked for kitty's protocol, and a dumb one for nothing",
        .enabled(if: PseudoTerminal.isAvailable),
        arguments: [
            ["TMUX": "/tmp/tmux-0/default,1,0", "TERM": "tmux-256color"], ["TERM": "screen-256color"],
            ["TERM": "linux"], ["TERM": "dumb"],
        ]
    )
    func otherTerminals(settings: [String: String]) async throws {
        try work.write(try Images.encoded(.png), to: "a.png")
        let terminal = try PseudoTerminal(columns: 80, replies: "\u{1B}[?1;2c")
        let running = try work.start(["show", "a.png"], settings: settings, output: terminal.slave)
        var text = ""
        if settings["TERM"]?.contains("256color") == true {
            text = try await terminal.read(until: PseudoTerminal.question)
        }
        let run = try await running.outcome
        text += await terminal.readRest()
        #expect(!text.contains("\u{1B}_"))
        if settings["TERM"] == "dumb" {
            #expect(run.exitCode == 64 && text.isEmpty && run.error.contains("--protocol"))
        } else {
            #expect(run.exitCode == 0)
            #expect(text.contains(settings["TMUX"] == nil ? "48;5;" : "48;2;"))
        }
    }

    @Test("replies that are cut off or make no sense change nothing and end nothing")
    func replies() throws {
        let whole = Array("\u{1B}_Gi=31;OK\u{1B}\\\u{1B}]11;rgb:ffff/8000/0\u{07}\u{1B}[6;20;10t\u{1B}[?62;4c".utf8)
        for count in 0..<whole.count { #expect(!TerminalReplies(Array(whole.prefix(count))).isComplete) }
        #expect(TerminalReplies(whole).isComplete)
        for text in [
            "\u{1B}[6;0;0t", "\u{1B}[6;99999999999999999999;1t", "\u{1B}[?2;0;1;99999999S", "\u{1B}[?1;0;-4S",
            "\u{1B}[?S",
            "\u{1B}]11;rgb:fffff/0/0\u{07}", "\u{1B}]11;rgb:0/0\u{07}", "\u{1B}", "\u{1B}\u{1B}[", "\u{1B}[t",
        ] {
            var display = TerminalDisplay()
            TerminalReplies(Array(text.utf8)).apply(to: &display)
            #expect(display == TerminalDisplay(), "\(text)")
        }
    }

    @Test("a terminal as large as can be said gets no larger image than memory has room for")
    func hugeTerminal() {
        for graphics in GraphicsProtocol.allCases {
            let display = TerminalDisplay(
                graphics: graphics,
                columns: 65_535,
                rows: 65_535,
                cell: PixelSize(1_000, 1_000)
            )
            let box = display.pixels(columns: display.columns, rows: display.rows)
            #expect(box.area <= 16 << 20 && !box.isEmpty)
        }
    }

    @Test("an image beyond the limits is an error, and nothing is drawn")
    func hugeImage() async throws {
        try work.write(Images.pngHeader(width: 100_000, height: 100_000), to: "a.png")
        let run = try await work.run("show", "a.png", "--protocol", "kitty")
        #expect(run.exitCode == 1 && run.output.isEmpty)
        #expect(run.error.contains("a.png"))
    }

    /// A GIF of two frames, white and black.
    private func animation(loopCount: Int) throws -> [UInt8] {
        let frames = try [1.0, 0].map { brightness in
            var bitmap = try Bitmap(size: PixelSize(24, 12), isOpaque: true)
            bitmap.fill(PixelRect(x: 0, y: 0, width: 24, height: 12), with: Color(white: brightness))
            return AnimationFrame(bitmap: bitmap, duration: 20)
        }
        return [UInt8](try ImageCodecs.standard.encode(frames, as: .gif, loopCount: loopCount))
    }

    @Test(
        "an animation is drawn over itself as often as its file says, and leaves the last frame",
        .enabled(if: PseudoTerminal.isAvailable),
        arguments: [("\u{1B}_Gi=31;OK\u{1B}\\\u{1B}[?62c", .kitty), ("\u{1B}[?62;4c", .sixel)]
            as [(String, GraphicsProtocol)]
    )
    func animationEnds(replies: String, graphics: GraphicsProtocol) async throws {
        try work.write(try animation(loopCount: 1), to: "a.gif")
        let terminal = try PseudoTerminal(columns: 80, cell: (6, 12), replies: replies)
        let running = try work.start(["show", "a.gif"], output: terminal.slave)
        _ = try await terminal.read(until: PseudoTerminal.question)
        #expect(try await running.outcome.exitCode == 0)
        #expect(terminal.hasEcho)
        let text = await terminal.readRest()
        let images = graphics == .kitty ? try ShownImage.kitty(in: text) : ShownImage.sixel(in: text)
        #expect(images.first?.rows.joined().allSatisfy { $0 == [255, 255, 255] } == true)
        #expect(images.last?.rows.joined().allSatisfy { $0 == [0, 0, 0] } == true)
        #expect(images.allSatisfy { $0.size == PixelSize(24, 12) })
        // Each frame but the first begins at the line of the first one: the image is one line high.
        #expect(text.components(of: "\u{1B}[?2026h\u{1B}[1A\r") == images.count - 1)
        #expect(text.contains("\u{1B}[?25l") && text.hasSuffix("\u{1B}[?25h"))
    }

    @Test(
        "Ctrl-C stops an animation, and restores cursor, echo and colours",
        .enabled(if: PseudoTerminal.isAvailable),
        arguments: [false, true]
    )
    func interruption(isTwice: Bool) async throws {
        try work.write(try animation(loopCount: 0), to: "a.gif")
        let terminal = try PseudoTerminal(columns: 80, replies: "\u{1B}[?1;2c")
        let running = try work.start(["show", "a.gif"], output: terminal.slave)
        _ = try await terminal.read(until: PseudoTerminal.question)
        let first = try await terminal.read(until: "\u{1B}[?2026l")
        #expect(!terminal.hasEcho)
        if isTwice {
            running.process.send(signal: SIGSTOP)
            // Of two equal signals, one would be lost.
            running.process.send(signal: SIGINT)
            running.process.send(signal: SIGTERM)
            running.process.send(signal: SIGCONT)
        } else {
            running.process.send(signal: SIGINT)
        }
        let run = try await running.outcome
        #expect((isTwice ? [130, 143] : [130]).contains(run.exitCode) && !run.isOverdue && run.error.isEmpty)
        #expect(terminal.hasEcho)
        let rest = await terminal.readRest()
        #expect(rest.hasSuffix("\u{1B}[?25h"))
        // Nothing is coloured after the last frame.
        let text = first + rest
        #expect(text.components(of: "\u{1B}[0m") > 0)
        #expect(text.split(separator: "\u{1B}[0m").last?.contains("m") == false)
    }

    @Test("in a file an animation is its first frame, as it is with --still")
    func stillAnimation() async throws {
        try work.write(try animation(loopCount: 0), to: "a.gif")
        let run = try await work.run("show", "a.gif", "--protocol", "kitty")
        #expect(try ShownImage.kitty(in: run.output).count == 1)
        #expect(!run.output.contains("\u{1B}[?25l"))
    }

    @Test("several images stand in rows with their names, and escape sequences in names do not reach the terminal")
    func grid() async throws {
        let names = [
            "evil\u{1B}[2J\u{9B}31m\u{07}.png", "写真.png", "a name that is longer than the place of its image.png",
        ]
        for name in names { try work.write(try Images.encoded(.png), to: name) }
        let run = try await work.start(
            ["show"] + names + ["none\u{1B}]0;title\u{07}", "--protocol", "kitty", "--columns", "42"]
        )
        .outcome
        #expect(run.exitCode == 1)
        for text in [run.output, run.error] {
            #expect(!text.contains("\u{1B}[2J") && !text.contains("\u{9B}") && !text.contains("\u{07}"))
        }
        #expect(run.error.contains("none") && !run.error.contains("\u{1B}"))
        // Two in a row of 42 columns: each has 20 of 8 pixels, and a gap of one column.
        let images = try ShownImage.kitty(in: run.output)
        #expect(images.map(\.size) == [PixelSize(168 + 160, 32), PixelSize(168 + 160, 32)])
        let row = try #require(images.first?.rows.last)
        #expect(row[0] != nil && row[39] != nil && row[40] == nil && row[167] == nil && row[168] != nil)
        // The one that is not there has a place, and its name.
        #expect(images.last?.rows.last?[168] == nil)
        #expect(run.output.contains("evil\u{FFFD}[2J") && run.output.contains("写真.png\n"))
        #expect(run.output.contains("a name that is long…"))
    }
}

extension String {
    /// The number of times that a text occurs.
    fileprivate func components(of text: String) -> Int { ranges(of: text).count }
}
