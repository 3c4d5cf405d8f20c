import Foundation
import Testing

@testable import ServerURLs

/// The change of a plan that an option makes.
typealias Change = @Sendable (inout ImagePlan) -> Void

extension URLRules {
    /// Rules at the second 1,000, with a key in hexadecimal digits.
    static func test(key: String = "") -> URLRules {
        var rules = URLRules { 1_000 }
        do {
            rules.keys = try SigningKeys(hexLines: key)
        } catch {
            Issue.record(error)
        }
        return rules
    }
}

extension PlanColor {
    /// Returns the colour of these digits; digits that are none fail the test.
    static func hex(_ digits: String) -> PlanColor {
        if let color = PlanColor(hex: digits) { return color }
        Issue.record("\(digits) is no colour")
        return .clear
    }
}

/// The tables of `Documentation/URLs.md`.
enum DocumentedOptions {
    /// Returns the names in the first column of the table below a heading: each is between backquotes, without its
    /// arguments.
    static func names(under heading: String) throws -> Set<String> {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Documentation/URLs.md")
        let text = try String(contentsOf: file, encoding: .utf8)
        let section = try #require(text.components(separatedBy: "\n\(heading)\n").dropFirst().first)
        let body = section.components(separatedBy: "\n## ")[0]
        var names: Set<String> = []
        for line in body.split(separator: "\n") where line.hasPrefix("| `") {
            let cell = line.dropFirst(2).split(separator: " |")[0]
            for name in cell.split(separator: "`") where name.contains(/^[a-z]/) {
                names.insert(String(name.prefix { $0 != ":" && $0 != "(" }))
            }
        }
        return names
    }
}
