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

    @Test("says which libraries are missing of those that are loaded on first use; only what needs them fails")
    func missingLibraries() async throws {
        // No libraries: the loader takes the first file of a name, and fails.
        let libraries = [
            "libavif.so.15", "libavif.so.16", "libcurl.so.4", "libcurl-gnutls.so.4", "libheif.so.1", "libjxl.so.0.7",
            "libjxl.so.0.11",
            "librsvg-2.so.2",
        ]
        try FileManager.default.createDirectory(atPath: work.path("libraries"), withIntermediateDirectories: true)
        for library in libraries { try work.write([], to: "libraries/\(library)") }
        let settings = ["LD_LIBRARY_PATH": work.path("libraries")]
        let findings = try await work.start(["doctor", "--json"], settings: settings).outcome.records(Finding.self)
        for name in ["libcurl", "libavif", "libheif", "libjxl", "librsvg"] {
            let finding = try #require(findings.first { $0.name == name }, "\(name)")
            #expect(finding.value == nil, "\(name)")
        }
        for (format, ability) in [
            ("AVIF", "reads and writes nothing: libavif"), ("HEIC", "reads nothing: libheif"),
            ("JXL", "reads and writes nothing: libjxl"), ("SVG", "reads nothing: librsvg"),
        ] {
            #expect(findings.first { $0.name == format }?.value == "\(ability) is not installed")
        }
        let download = try await work.start(["get", "http://127.0.0.1:9/a.png", "-o", "b.png"], settings: settings)
            .outcome
        #expect(download.exitCode == 1 && download.error.contains("libcurl is not installed"), "\(download.error)")
        try work.write(Images.encoded(.png), to: "a.png")
        let jpeg = try await work.start(["convert", "a.png", "a.jpg"], settings: settings).outcome
        #expect(jpeg.exitCode == 0, "\(jpeg.error)")
        for (format, library) in [("avif", "libavif"), ("jxl", "libjxl")] {
            let run = try await work.start(["convert", "a.png", "a.\(format)"], settings: settings).outcome
            #expect(run.exitCode == 1 && run.error.contains("\(library) is not installed"), "\(run.error)")
            #expect(!FileManager.default.fileExists(atPath: work.path("a.\(format)")))
        }
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
