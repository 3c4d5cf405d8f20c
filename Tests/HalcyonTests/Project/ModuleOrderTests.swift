import Foundation
import Testing

/// The folder of the package.
private let package = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardized

@Suite("The modules")
struct ModuleOrderTests {
    /// What the module of a format may import.
    private static let format: Set<String> = ["HalcyonSystem", "HalcyonRaster", "HalcyonCodecs"]
    /// The modules of the package that each may import.
    private static let allowed: [String: Set<String>] = [
        "HalcyonSystem": [],
        "HalcyonRaster": ["HalcyonSystem"],
        "HalcyonCodecs": ["HalcyonSystem", "HalcyonRaster"],
        "HalcyonHEIC": format, "HalcyonJPEGXL": format, "HalcyonTIFF": format, "HalcyonSVG": format,
        "HalcyonVideo": format,
        "HalcyonFormats": [
            "HalcyonCodecs", "HalcyonHEIC", "HalcyonJPEGXL", "HalcyonTIFF", "HalcyonSVG", "HalcyonVideo",
        ],
        "HalcyonIsolation": ["HalcyonSystem", "HalcyonRaster", "HalcyonCodecs"],
        "HalcyonStore": ["HalcyonSystem"],
        "HalcyonHTTP": ["HalcyonSystem"],
        "Halcyon": [
            "HalcyonSystem", "HalcyonRaster", "HalcyonCodecs", "HalcyonIsolation", "HalcyonStore", "HalcyonHTTP",
        ],
        "HalcyonFleet": ["HalcyonSystem", "HalcyonStore", "HalcyonHTTP", "Halcyon"],
        "HalcyonTesting": ["HalcyonSystem", "HalcyonStore", "HalcyonHTTP"],
    ]

    @Test("import only those below them", arguments: allowed.keys.sorted())
    func imports(module: String) throws {
        let folder = package.appending(path: "Sources/\(module)")
        let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
        var count = 0
        for case let file as URL in files where file.pathExtension == "swift" {
            count += 1
            for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
                let words = line.split(separator: " ")
                guard words.contains("import"), !line.hasPrefix("//"), !line.hasPrefix(" "),
                    let name = words.last?.split(separator: ".").first,
                    name.hasPrefix("Halcyon")
                else { continue }
                #expect(Self.allowed[module]?.contains(String(name)) == true, "\(file.lastPathComponent): \(line)")
            }
        }
        #expect(count > 0)
    }

    @Test("import FoundationEssentials, and never Foundation, which links ICU", arguments: allowed.keys.sorted())
    func foundation(module: String) throws {
        let folder = package.appending(path: "Sources/\(module)")
        let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
        for case let file as URL in files where file.pathExtension == "swift" {
            for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
                let isImport = line.hasPrefix("import ") || line.contains(" import ") && line.first != " "
                let isComment = line.hasPrefix("//")
                guard isImport, !isComment, let name = line.split(separator: " ").last else { continue }
                #expect(name != "Foundation", "\(file.lastPathComponent)")
            }
        }
    }
}

@Suite("The map of CONTRIBUTING")
struct MapTests {
    @Test("names files that exist, each once")
    func files() throws {
        let text = try String(contentsOf: package.appending(path: "CONTRIBUTING.md"), encoding: .utf8)
        let start = try #require(text.range(of: "## Where to look\n"))
        let end = text.range(of: "\n## ", range: start.upperBound..<text.endIndex)?.lowerBound ?? text.endIndex
        let rows = text[start.upperBound..<end].split(separator: "\n").filter { $0.hasPrefix("| ") }.dropFirst()
        #expect(rows.count >= 20)
        for row in rows {
            // The file is between the last two marks of code.
            let parts = row.split(separator: "`", omittingEmptySubsequences: false)
            let file = try #require(parts.count >= 3 ? String(parts[parts.count - 2]) : nil, "\(row)")
            let path = package.appending(path: "Sources/\(file)").path(percentEncoded: false)
            #expect(FileManager.default.fileExists(atPath: path), "\(file)")
        }
        #expect(Set(rows).count == rows.count)
    }
}
