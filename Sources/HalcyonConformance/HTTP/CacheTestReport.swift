internal import FoundationEssentials
internal import Halcyon
internal import HalcyonTesting

/// The outcome of all HTTP cache tests.
struct CacheTestReport: Sendable {
    struct Line: Sendable, CustomStringConvertible {
        enum Verdict: String, Sendable {
            case pass = "PASS"
            case fail = "FAIL"
            case skip = "SKIP"
        }

        let verdict: Verdict
        let id: String
        let gate: String
        let reason: String

        var description: String { "\(verdict.rawValue) \(id) [\(gate)]\(reason.isEmpty ? "" : " \(reason)")" }
    }

    let results: [Line]
    let browserScores: [(browser: String, count: Int)]

    /// Runs the tests in a folder of collections.
    ///
    /// - Throws: ``MissingCorpus`` if they are not there; an error of decoding if they are not what they should be.
    init(folder: CorporaFolder) async throws {
        let tests = try CacheTest.tests(folder.data("http_cache_tests/tests.json"))
        let index = CacheTestIndex(try folder.data("http_cache_tests/index.tsv"))
        await self.init(tests: tests, index: index)
    }

    init(tests: [CacheTest], index: CacheTestIndex) async {
        var failures: [String: CacheTestFailure] = [:]
        let files = FileManager.default
        let folder = files.temporaryDirectory.path + "/halcyon-conformance-\(UUID().uuidString)"
        defer { try? files.removeItem(atPath: folder) }
        let clock = ManualStoreClock()
        let storage = DiskResponseStorage(folder: folder, clock: clock.clock)
        for test in tests where index.inapplicability(of: test.id) == nil {
            failures[test.id] = await CacheTestClient(test, storage: storage, clock: clock).run()
        }
        // Nothing is to be written any more when the folder is removed.
        await storage.flush()
        let known = Dictionary(tests.map { ($0.id, $0) }) { first, _ in first }
        results = tests.map { test in
            if let reason = index.inapplicability(of: test.id) {
                return Line(verdict: .skip, id: test.id, gate: "skip", reason: reason)
            }
            // A test that the index does not know is judged by its kind alone.
            let kind = test.kind == "optimal" ? "should" : test.kind == "check" ? "info" : "must"
            let gate = index.rows[test.id]?.gate ?? kind
            if let failure = failures[test.id] {
                return Line(verdict: .fail, id: test.id, gate: gate, reason: failure.description)
            }
            // Without the tests it depends on, a pass says nothing.
            if let cause = test.dependsOn?.first(where: { failures[$0] != nil }), known[cause] != nil {
                return Line(verdict: .skip, id: test.id, gate: gate, reason: "depends on \(cause), which fails")
            }
            return Line(verdict: .pass, id: test.id, gate: gate, reason: "")
        }
        browserScores = index.browserScores
    }

    /// Returns the number of tests of a gate that have a verdict.
    func count(_ verdict: Line.Verdict, gate: String) -> Int {
        results.count { $0.verdict == verdict && $0.gate == gate }
    }

    /// A Boolean value that indicates whether every applicable "must" passes, and as many "should" as in the best of
    /// the browsers.
    var conforms: Bool {
        results.allSatisfy { $0.gate != "must" || $0.verdict == .pass }
            && count(.pass, gate: "should") >= browserScores.map(\.count).max() ?? 0
    }

    /// A line for each test, then the totals.
    var lines: [String] {
        let gates = ["must", "should", "info", "info-browsers-fail"].map { gate in
            let all = results.filter { $0.gate == gate }.count
            return "\(gate): \(count(.pass, gate: gate)) of \(all) pass"
        }
        let skipped = results.filter { $0.verdict == .skip }.count
        let browsers = browserScores.map { "\($0.browser) \($0.count)" }.joined(separator: ", ")
        return results.map(\.description) + [
            "", gates.joined(separator: "; ") + "; skipped: \(skipped)", "should of the browsers: \(browsers)",
            conforms ? "conforms" : "does not conform",
        ]
    }
}
