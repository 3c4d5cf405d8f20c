import Foundation
import Testing

/// The folder of the package.
private let package = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardized

@Suite("The document of parity")
struct ParityTests {
    /// The requirements: the beginnings of their numbers, and how far each goes.
    private static let requirements: [(prefix: String, numbers: [ClosedRange<Int>])] = [
        // The texts that the project began with, and Kingfisher.
        ("S0", [1...33]), ("S1", [1...23]), ("S2", [1...40]), ("S3", [1...22]), ("S4", [1...18]),
        ("O", [1...38]), ("M", [1...22]), ("SR", [1...13]), ("DL", [1...28]), ("DD", [1...10]), ("NM", [1...7]),
        ("MC", [1...13]), ("EX", [1...3]), ("DK", [1...17]), ("IC", [1...17]), ("CS", [1...6]), ("IM", [1...24]),
        ("SZ", [1...4]), ("P", [1...16]), ("MO", [1...5]), ("PJ", [1...8]), ("V", [1...20]), ("AV", [1...14]),
        ("PF", [1...9]), ("B", [1...7]), ("SU", [1...16]), ("U", [1...6]), ("R", [1...50]), ("N", [1...35]),
        ("BB", [1...50]), ("E", [1001...1006, 2001...2006, 3001...3012, 4001...4001, 5001...5006]),
        // Nuke; SDWebImage's flags, context keys and components; Coil.
        ("NU", [1...41]), ("SDF", [0...25]), ("SDK", [1...31]), ("SDC", [1...33]), ("CO", [1...33]),
        // What all, most, one and none of them have.
        ("7a", [1...11]), ("7b", [1...14]), ("7c", [1...45]), ("7d", [1...20]),
    ]

    private let rows: [ParityRow]

    init() throws {
        rows = try ParityRow.rows(in: Self.text("Documentation/Parity.md"))
    }

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: package.appending(path: path), encoding: .utf8)
    }

    /// Returns the paths of all Swift files below a folder of the package.
    private static func files(in folder: String) throws -> [String] {
        let root = package.appending(path: folder)
        let paths = try FileManager.default.subpathsOfDirectory(atPath: root.path(percentEncoded: false))
        return paths.filter { $0.hasSuffix(".swift") }
    }

    @Test("has a row for every requirement, and for no other")
    func completeness() {
        var expected: Set<String> = []
        for (prefix, numbers) in Self.requirements {
            for number in numbers.joined() { expected.insert("\(prefix)-\(number)") }
        }
        let present = Set(rows.flatMap(\.requirements))
        #expect(expected.subtracting(present).sorted() == [])
        #expect(present.subtracting(expected).sorted() == [])
    }

    @Test("gives each row a test, or the reason why there is none")
    func verdicts() {
        #expect(rows.count > 300)
        for row in rows {
            let hasReason = row.test.components(separatedBy: "; ").contains { part in
                ["not on Linux: ", "by design: ", "not yet: "].contains { part.hasPrefix($0) }
            }
            #expect(!row.tests.isEmpty || hasReason, "line \(row.line): \(row.test)")
            #expect(!row.requirements.isEmpty, "line \(row.line)")
        }
    }

    @Test("names tests that exist")
    func tests() throws {
        let files = try Self.files(in: "Tests")
        var sentences: [String: Set<String>] = [:]
        for row in rows {
            for (file, sentence) in row.tests {
                let matches = files.filter { $0 == file || $0.hasSuffix("/" + file) }
                guard matches.count == 1, let path = matches.first else {
                    Issue.record("line \(row.line): \(matches.count) files are named \(file)")
                    continue
                }
                let known = try sentences[path] ?? TestSentences.all(in: Self.text("Tests/\(path)"))
                sentences[path] = known
                #expect(known.contains(sentence), "line \(row.line): \(file) has no test “\(sentence)”")
            }
        }
        #expect(sentences.count > 50)
    }

    @Test("names declarations that occur in the sources")
    func declarations() throws {
        var missing: [String: Int] = [:]
        for row in rows {
            for name in row.declarations { missing[name] = row.line }
        }
        #expect(missing.count > 200)
        for file in try Self.files(in: "Sources") {
            for word in try Identifiers.all(in: Self.text("Sources/\(file)")) { missing[word] = nil }
        }
        for (name, line) in missing { Issue.record("line \(line): nothing is named \(name)") }
    }

    @Test("is read as it is written")
    func reading() throws {
        let text = """
            | Halcyon | test | row |
            |---|---|---|
            | `ImageTask.cancel()`, a word | `A/BTests.swift`: "says \\"yes\\""; not yet: more | O-1, 7a-2 |
            | – | by design: no | E-1001 |

            | behaviour | test | row |
            |---|---|---|
            | One | `CTests.swift`: "holds"; `DTests.swift`: "holds too" | BB-1 |
            """
        let rows = ParityRow.rows(in: text)
        #expect(rows.map(\.requirements) == [["O-1", "7a-2"], ["E-1001"], ["BB-1"]])
        #expect(rows.map(\.line) == [3, 4, 8])
        #expect(rows.map(\.declarations) == [["ImageTask", "cancel"], [], []])
        #expect(rows.map { $0.tests.map(\.file) } == [["A/BTests.swift"], [], ["CTests.swift", "DTests.swift"]])
        #expect(rows.map { $0.tests.map(\.sentence) } == [["says \\\"yes\\\""], [], ["holds", "holds too"]])
        #expect(TestSentences.all(in: "@Test(\n  \"a\", arguments: [1])\n@Test(\"b \\\" c\")") == ["a", "b \\\" c"])
        let views = "final class ATests: XCTestCase {\n    func testA() async throws {}\n    func other() {}\n}"
        #expect(TestSentences.all(in: views) == ["testA"])
        #expect(Identifiers.all(in: "let a1 = _b.c(2)") == ["let", "a1", "_b", "c"])
    }
}

/// A row of one of the document's tables.
private struct ParityRow {
    let line: Int
    let test: String
    let requirements: [String]
    /// The identifiers in the code of the column "Halcyon".
    let declarations: [String]

    /// The files and sentences of the tests.
    var tests: [(file: String, sentence: String)] {
        test.matches(of: /`([^`]+\.swift)`: "((?:[^"\\]|\\.)*)"/).map { (String($0.1), String($0.2)) }
    }

    /// Returns the rows of all tables with columns "test" and "row", which are the last two.
    static func rows(in text: String) -> [ParityRow] {
        var rows: [ParityRow] = []
        var columns: [String] = []
        for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            guard line.hasPrefix("| "), line.hasSuffix(" |") else {
                if !line.hasPrefix("|--") { columns = [] }
                continue
            }
            let cells = line.dropFirst(2).dropLast(2).components(separatedBy: " | ")
            if columns.isEmpty {
                columns = cells
                continue
            }
            guard columns.suffix(2) == ["test", "row"], cells.count == columns.count else {
                Issue.record("line \(number + 1) has other columns than its table")
                continue
            }
            let place = columns.firstIndex(of: "Halcyon")
            let code = place.map { cells[$0].components(separatedBy: "`").enumerated().filter { $0.offset % 2 == 1 } }
            let row = ParityRow(
                line: number + 1,
                test: cells[cells.count - 2],
                requirements: cells[cells.count - 1].components(separatedBy: ", "),
                declarations: (code ?? []).flatMap { Identifiers.all(in: $0.element) }
            )
            rows.append(row)
        }
        return rows
    }
}

/// The sentences that name the tests of a file, or the names of their functions.
private enum TestSentences {
    static func all(in text: String) -> Set<String> {
        var sentences: Set<String> = []
        for part in text.components(separatedBy: "@Test(").dropFirst() {
            let name = part.drop { $0.isWhitespace }
            guard let match = name.prefixMatch(of: /"((?:[^"\\]|\\.)*)"/) else { continue }
            sentences.insert(String(match.1))
        }
        // XCTest knows its tests by the names of their functions.
        guard text.contains(": XCTestCase {") else { return sentences }
        return sentences.union(text.matches(of: /func (test\w+)\(\)/).map { String($0.1) })
    }
}

/// The identifiers of a program's text.
private enum Identifiers {
    static func all(in text: String) -> [String] {
        var names: [String] = []
        var name: [UInt8] = []
        func end() {
            if let first = name.first, !isDigit(first) { names.append(String(decoding: name, as: UTF8.self)) }
            name.removeAll(keepingCapacity: true)
        }
        for byte in text.utf8 {
            if isLetter(byte) || isDigit(byte) { name.append(byte) } else if !name.isEmpty { end() }
        }
        end()
        return names
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (byte | 0x20 >= UInt8(ascii: "a") && byte | 0x20 <= UInt8(ascii: "z")) || byte == UInt8(ascii: "_")
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
    }
}
