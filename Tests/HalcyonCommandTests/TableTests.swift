import Glibc
import HalcyonTesting
import Testing

@Suite struct TableTests {
    private let work: Workplace

    init() throws {
        work = try Workplace()
        let photo = try Images.encoded(.png)
        for name in ["写真写真写真写真写真写真写真写真写真写真.png", "e\u{301}te\u{301}.png", "evil\u{1B}[2J\n.png", "a.png"] {
            try work.write(photo, to: name)
        }
    }

    private var names: [String] { Workplace.files(below: work.folder) }

    @Test("columns line up below wide and combining characters, and control characters do not reach the terminal")
    func alignment() async throws {
        let run = try await work.start(["get"] + names).outcome
        #expect(run.exitCode == 0)
        #expect(!run.output.contains("\u{1B}"))
        let rows = run.lines.filter { $0.contains(" file ") }
        #expect(rows.count == 4)
        let beginnings = rows.map { row in
            columns(row.prefix { $0 != " " } + row.drop { $0 != " " }.prefix { $0 == " " })
        }
        #expect(Set(beginnings).count == 1, "\(run.output)")
    }

    @Test("files whose names are not UTF-8 are read by their bytes and by their URL, and are told apart")
    func otherNames() async throws {
        let shell =
            "cp a.png $(printf 'b\\377.png'); cp a.png $(printf 'b\\376.png'); "
            + "exec \(Workplace.executable) get $(printf 'b\\377.png') $(printf 'b\\376.png') "
            + "file://\(work.folder)/b%fe.png --json"
        let run = try await work.start(["-c", shell], executable: "/bin/sh").outcome
        #expect(run.exitCode == 0, "\(run.error)")
        #expect(run.lines.count == 3)
        #expect(run.output.contains("b%FF.png") && run.output.contains("b%FE.png"))
        let none = try await work.start(["get", "file://\(work.folder)/b%fd.png"]).outcome
        #expect(none.exitCode == 1)
    }

    @Test("control characters of names and options reach a terminal in no kind of output")
    func controlCharacters() async throws {
        let name = "evil\u{1B}[2J\u{9B}31m.png"
        try work.write(try Images.encoded(.png), to: name)
        for arguments in [
            ["get", name, "--json", "--trace"], ["get", name + "?", "--json", "--trace"], ["info", name, "--json"],
            ["get", name, "--resize", "\u{1B}[2J"], ["get", "--\u{1B}[2J"], ["\u{1B}[2J"], ["cache", "\u{1B}[2J"],
        ] {
            let run = try await work.start(arguments).outcome
            for text in [run.output, run.error] {
                let controls = text.unicodeScalars.filter { $0.properties.generalCategory == .control && $0 != "\n" }
                #expect(controls.isEmpty, "\(arguments)")
            }
            #expect(!run.output.isEmpty || !run.error.isEmpty)
        }
        let json = try await work.start(["info", name, "--json"]).outcome.output
        #expect(json.contains("\\u009b31m"), "names come through JSON whole")
    }

    @Test(
        "a narrow terminal gets a narrow table",
        .enabled(if: PseudoTerminal.isAvailable),
        arguments: [40, 60, 90] as [UInt16]
    )
    func narrowTerminal(width: UInt16) async throws {
        let terminal = try PseudoTerminal(columns: width)
        let running = try work.start(["get"] + names, output: terminal.slave)
        #expect(try await running.outcome.exitCode == 0)
        let lines = await terminal.readRest().split(separator: "\r\n" as Character)
        #expect(lines.count == 7)
        for line in lines.dropLast() {
            #expect(columns(line) <= Int(width), "\(line)")
        }
        #expect(lines[0].contains("Image") && lines[0].contains("Result") && lines[0].contains("Total"))
    }

    @Test(
        "a terminal that does not say its size is one all the same: it gets the table and one summary",
        .enabled(if: PseudoTerminal.isAvailable)
    )
    func terminalWithoutSize() async throws {
        let terminal = try PseudoTerminal(columns: 0)
        let running = try work.start(["get"] + names, output: terminal.slave, error: terminal.slave)
        #expect(try await running.outcome.exitCode == 0)
        let text = await terminal.readRest()
        #expect(text.components(separatedBy: "images, ").count == 2, "\(text)")
        #expect(text.contains("Image"))
    }

    /// Of a text whose only wide characters are "写真".
    private func columns(_ text: some StringProtocol) -> Int {
        text.reduce(0) { $0 + ("写真".contains($1) ? 2 : 1) }
    }
}
