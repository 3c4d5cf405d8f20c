import FoundationEssentials
import Testing

@Suite("halcyon doctor")
struct DoctorTests {
    struct Finding: Decodable {
        var section: String
        var name: String
        var value: String?
        var problem: Bool
    }

    private let work: Workplace

    init() throws { work = try Workplace() }

    @Test("says versions, formats, limits and the cache's folder, and that nothing is wrong")
    func findings() async throws {
        let run = try await work.run("doctor", "--json")
        #expect(run.exitCode == 0 && run.error.isEmpty)
        let findings = try run.records(Finding.self)
        #expect(findings.allSatisfy { !$0.problem })
        func value(_ section: String, _ name: String) -> String? {
            findings.first { $0.section == section && $0.name == name }?.value
        }
        for name in ["libcurl", "SQLite", "zlib", "libwebp", "libavif", "Little CMS", "xxHash", "libidn2"] {
            let version = try #require(value("libraries", name), "\(name)")
            #expect(version.first?.isNumber == true && version.contains("."), "\(name) \(version)")
        }
        #expect(value("libraries", "libjpeg-turbo")?.hasPrefix("libjpeg.so.") == true)
        #expect(value("formats", "JPEG") == "reads, writes")
        #expect(value("formats", "GIF") == "reads, writes, animations too")
        #expect(value("formats", "ICO") == "reads")
        #expect(value("cache", "Folder") == work.cacheFolder)
        #expect(value("limits", "Open files") != nil)
        let text = try await work.run("doctor").output
        #expect(text.contains("Libraries\n") && text.contains("\n\nDisplay\n"))
    }

    @Test("a cache that cannot be used is a problem, and exit code 1")
    func unusableCache() async throws {
        try work.write([1], to: "file")
        let run = try await work.run("doctor", "--json", "--cache-dir", "file/cache")
        #expect(run.exitCode == 1)
        #expect(try run.records(Finding.self).filter(\.problem).map(\.section) == ["cache"])
        #expect(try await work.run("doctor", "--cache-dir", "file/cache").output.contains("\n! State "))
    }
}
