import Foundation
import Testing

@Suite("The documentation of options")
struct OptionDocumentationTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../Sources/Halcyon/Options").standardized

    /// The files of the fields of ``ImageOptions`` and of its groups.
    private static let files = [
        "CachePolicy", "DecodePolicy", "DeliveryPolicy", "ImageOptions", "NetworkPolicy", "ProgressivePolicy",
        "RecoveryPolicy",
    ]

    /// The groups, whose fields have defaults of their own.
    private static let groups: Set<String> = ["cache", "network", "decode", "recovery", "delivery"]

    /// Nested types have properties that are no options.
    private static let others: Set<String> = ["includesMemory", "includesDisk"]

    /// Returns the public properties of a file that can be set, and the comment of each.
    private static func properties(in file: String) throws -> [(name: String, comment: String)] {
        let text = try String(contentsOf: folder.appending(path: "\(file).swift"), encoding: .utf8)
        var properties: [(name: String, comment: String)] = []
        var comment = ""
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let line = line.trimmingCharacters(in: .whitespaces)
            if line.hasPrefix("///") {
                comment += line.dropFirst(3)
                continue
            }
            if line.hasPrefix("public var ") {
                properties.append((String(line.dropFirst(11).prefix { $0.isLetter }), comment))
            }
            if !line.hasPrefix("@") { comment = "" }
        }
        return properties
    }

    @Test("states the default of each", arguments: files)
    func defaults(file: String) throws {
        let properties = try Self.properties(in: file).filter { !Self.others.contains($0.name) }
        #expect(!properties.isEmpty)
        for (name, comment) in properties where file != "ImageOptions" || !Self.groups.contains(name) {
            #expect(comment.contains("Default:"), "\(file).\(name)")
        }
    }
}
