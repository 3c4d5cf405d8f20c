import FoundationEssentials
import Testing

@testable import HalcyonCodecs
@testable import HalcyonConformance

@Suite("The report about a collection")
struct ImagesReportTests {
    private func row(_ path: String, _ fields: [String: String] = [:]) -> ImageManifestRow {
        let fields = fields.merging(["path": path]) { $1 }
        let names = fields.keys.sorted()
        return ImageManifestRow(line: names.map { fields[$0] ?? "" }.joined(separator: "\t"), columns: names)
    }

    private func report(
        _ outcomes: [(ImageManifestRow, CheckingPool.Outcome)],
        in folder: String = "/nowhere"
    ) -> ImagesReport {
        var report = ImagesReport(folder: CorporaFolder(folder))
        for (row, outcome) in outcomes { report.add(row, outcome, timeout: 10) }
        return report
    }

    private let pass = CheckingPool.Outcome.answer(ImageVerdict.pass.description)

    @Test("has a line a file, and totals by category and overall")
    func lines() {
        let report = report([
            (row("a.png", ["category": "png"]), pass),
            (row("b.gif", ["category": "gif"]), .answer(ImageVerdict.fail("differs").description)),
            (row("c.png", ["category": "png"]), .answer(ImageVerdict.skip("not here").description)),
        ])
        #expect(report.lines.map(\.description) == ["PASS a.png", "FAIL b.gif differs", "SKIP c.png not here"])
        #expect(report.totals.contains("gif  PASS 0, FAIL 1, SKIP 0"))
        #expect(report.totals.contains("png  PASS 1, FAIL 0, SKIP 1"))
        #expect(report.totals.contains { $0.hasPrefix("overall: PASS 1, FAIL 1, SKIP 1") })
    }

    @Test(
        "a crash, a hang or nonsense is a failure",
        arguments: [CheckingPool.Outcome.crash("signal 11"), .timeout, .answer("nonsense")]
    )
    func failures(_ outcome: CheckingPool.Outcome) {
        let report = report([(row("a"), pass), (row("b"), outcome)])
        #expect(report.count(.fail) == 1)
        #expect(!report.conforms)
    }

    @Test("conforms if nothing fails and something passes")
    func conforming() {
        #expect(report([(row("a"), pass)]).conforms)
        #expect(!report([]).conforms)
        #expect(!report([(row("a"), .answer(ImageVerdict.skip("not here").description))]).conforms)
    }

    @Test("excuses what is known, up to a fiftieth of the files, and never a crash")
    func known() throws {
        let folder = FileManager.default.temporaryDirectory.path + "/halcyon-report-\(UInt64.random(in: 0 ... .max))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try Data("clap".utf8).write(to: URL(filePath: folder + "/a.avif"))
        let cropped = row("a.avif", ["format": "avif"])
        let failure = CheckingPool.Outcome.answer(ImageVerdict.fail("stored as 2×2 instead of 1×1").description)
        let passes = (0..<49).map { (row("\($0)"), pass) }
        let excused = report(passes + [(cropped, failure)], in: folder)
        #expect(excused.knownCount == 1)
        #expect(excused.lines.last?.verdict.kind == .skip)
        #expect(excused.lines.last?.description.contains("(known: ") == true)
        #expect(excused.conforms)
        #expect(!report(passes + [(cropped, failure), (cropped, failure)], in: folder).conforms)
        // What is due to the list does not count.
        let pages = row("a.gif", ["format": "gif", "frames": "1", "durations_ms": "10,20"])
        let doubtful = CheckingPool.Outcome.answer(ImageVerdict.fail("2 frames instead of 1").description)
        let told = report([(row("a"), pass), (pages, doubtful)])
        #expect(told.knownCount == 0 && told.doubtfulCount == 1 && told.conforms)
        #expect(!report(passes + [(cropped, .crash("stored as 2×2"))], in: folder).conforms)
    }

    @Test("excuses a limit of a library only where the version in use has it")
    func versions() {
        let damaged = row("a-spline.jxl", ["format": "jxl"])
        let failure = CheckingPool.Outcome.answer(ImageVerdict.fail("corrupt: a spline").description)
        let hasLimit = CodecLibrary.jpegXL.isOlder(than: .init(0, 9))
        #expect(report([(row("a"), pass), (damaged, failure)]).knownCount == (hasLimit ? 1 : 0))
    }

    private func excuse(
        _ path: String,
        _ reason: String,
        _ format: String,
        text: String = "",
        version: CodecLibrary.Version?
    ) -> KnownDifference? {
        let failure = KnownDifference.Failure(row: row(path, ["format": format]), reason: reason) { Array(text.utf8) }
        return KnownDifference.excusing(failure) { _ in version }
    }

    @Test("a file that a newer library reads must pass with it")
    func mendedByLibrary() {
        let text = "<svg><symbol id=\"a\"/></svg>"
        let old = excuse("a.svg", "its means are 1", "svg", text: text, version: .init(2, 54))
        #expect(old?.explanation.hasPrefix("librsvg before 2.60: ") == true)
        #expect(old?.cause == .limit)
        for version in [CodecLibrary.Version(2, 60), .init(3, 0), nil] {
            #expect(excuse("a.svg", "its means are 1", "svg", text: text, version: version) == nil)
        }
    }

    @Test("a file that only newer libraries differ in must pass with an older one")
    func broughtByLibrary() {
        let reason = "it is 9 from the suite's own pixels"
        let new = excuse("blendmodes.jxl", reason, "jxl", version: .init(0, 9))
        #expect(new?.explanation.hasPrefix("libjxl from 0.9 on: ") == true)
        #expect(excuse("blendmodes.jxl", reason, "jxl", version: .init(0, 8)) == nil)
    }
}
