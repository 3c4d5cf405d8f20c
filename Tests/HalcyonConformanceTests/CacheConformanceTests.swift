import FoundationEssentials
import Testing

@testable import HalcyonConformance

@Suite("HTTP cache conformance")
struct CacheConformanceTests {
    private static let folder: CorporaFolder = {
        // …/Tests/HalcyonConformanceTests/CacheConformanceTests.swift
        let package = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        let environment = ProcessInfo.processInfo.environment["HALCYON_CORPORA"]
        return CorporaFolder(environment ?? "/\(package)/../shared/corpora")
    }()

    private static var isPresent: Bool {
        FileManager.default.fileExists(atPath: folder.path + "/http_cache_tests/tests.json")
    }

    @Test("every test that must pass does, and as many others as in the best browser", .enabled(if: isPresent))
    func publicTests() async throws {
        let report = try await CacheTestReport(folder: Self.folder)
        let failed = report.results.filter { $0.gate == "must" && $0.verdict != .pass }
        #expect(failed.map(\.description) == [])
        #expect(report.count(.pass, gate: "must") > 0)
        #expect(report.count(.pass, gate: "should") >= report.browserScores.map(\.count).max() ?? 0)
        #expect(report.conforms)
        let left = report.results.filter { $0.reason.hasPrefix("not applicable") }.map(\.id)
        #expect(Set(left) == Set(InapplicableCacheTest.reasons.keys))
    }

    @Test("a folder without the tests is reported as such")
    func missingFolder() async {
        await #expect(throws: MissingCorpus.self) {
            try await CacheTestReport(folder: CorporaFolder("/nowhere"))
        }
    }
}
