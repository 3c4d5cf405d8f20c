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
        try Data("tiff:Orientation".utf8).write(to: URL(filePath: folder + "/a.png"))
        let turned = row("a.png", ["format": "png"])
        let failure = CheckingPool.Outcome.answer(ImageVerdict.fail("orientation 1 instead of 3").description)
        let passes = (0..<49).map { (row("\($0)"), pass) }
        let excused = report(passes + [(turned, failure)], in: folder)
        #expect(excused.knownCount == 1)
        #expect(excused.lines.last?.verdict.kind == .skip)
        #expect(excused.lines.last?.description.contains("(known: ") == true)
        #expect(excused.conforms)
        #expect(!report(passes + [(turned, failure), (turned, failure)], in: folder).conforms)
        // What is due to the list does not count.
        let pages = row("a.gif", ["format": "gif", "frames": "1", "durations_ms": "10,20"])
        let doubtful = CheckingPool.Outcome.answer(ImageVerdict.fail("2 frames instead of 1").description)
        let told = report([(row("a"), pass), (pages, doubtful)])
        #expect(told.knownCount == 0 && told.doubtfulCount == 1 && told.conforms)
        #expect(!report(passes + [(turned, .crash("orientation 1 instead of 3"))], in: folder).conforms)
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
        version: CodecLibrary.Version?
    ) -> KnownDifference? {
        let failure = KnownDifference.Failure(row: row(path, ["format": format]), reason: reason) { [] }
        return KnownDifference.excusing(failure) { _ in version }
    }

    private func drawing(
        _ name: String,
        distance: String,
        version: CodecLibrary.Version = .init(2, 60)
    ) -> KnownDifference? {
        let means = "its means are 1.0,2.0,3.0,4.0 instead of 5.00,6.00,7.00,8.00"
        let distance = "\(distance) from the suite's own pixels in the root mean square"
        return excuse("svg_resvg/\(name).svg", "\(means), \(distance)", "svg", version: version)
    }

    @Test("a file that a newer library reads must pass with it")
    func mendedByLibrary() {
        let name = "filters/feSpecularLighting/with-feSpotLight"
        let old = drawing(name, distance: "33.6", version: .init(2, 54))
        #expect(old?.explanation.hasPrefix("librsvg before 2.60: ") == true)
        #expect(old?.cause == .limit)
        for version in [CodecLibrary.Version(2, 60), .init(3, 0)] {
            #expect(drawing(name, distance: "33.6", version: version) == nil)
        }
    }

    @Test("a drawing is excused by its name, as far from the suite's pixels as librsvg draws it")
    func drawings() {
        let name = "structure/symbol/opacity-on-use-and-symbol"
        #expect(drawing(name, distance: "28.6")?.cause == .limit)
        #expect(drawing(name, distance: "27.8") != nil && drawing(name, distance: "29.4") != nil)
        for distance in ["27.5", "29.7", "120.0"] { #expect(drawing(name, distance: distance) == nil) }
        #expect(drawing("structure/symbol/opacity-on-use", distance: "28.6") == nil)
        let other = "svg_resvg/\(name).svg"
        #expect(excuse(other, "its means are 1 instead of 2", "svg", version: .init(2, 60)) == nil)
        #expect(excuse(other, "stored as 1×1 instead of 2×2", "svg", version: .init(2, 60)) == nil)
    }

    @Test("a drawing has the distance of the version of librsvg in use")
    func distances() {
        let name = "filters/feSpecularLighting/specularExponent_0"
        for (distance, version) in [("210.1", CodecLibrary.Version(2, 54)), ("184.9", .init(2, 60))] {
            #expect(drawing(name, distance: distance, version: version) != nil)
            let other = version < .init(2, 60) ? CodecLibrary.Version(2, 60) : .init(2, 54)
            #expect(drawing(name, distance: distance, version: other) == nil)
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
