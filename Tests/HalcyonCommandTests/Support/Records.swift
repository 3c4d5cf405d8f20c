import FoundationEssentials
import Testing

/// A line that `get --json` printed.
struct GetLine: Decodable {
    struct Failure: Decodable, Equatable {
        var stage: String
        var reason: String
        var message: String
    }

    var index: Int?
    var url: String
    var status: String?
    var source: String?
    var bytes: Int?
    var format: String?
    var width: Int?
    var height: Int?
    var output: String?
    var milliseconds: [String: Double]?
    var error: Failure?
}

extension Workplace.Outcome {
    /// The lines of a `get --json`, in the order of the list: they are printed as images end. Of several rounds, one comes
    /// after the other.
    var results: [GetLine] {
        get throws {
            let lines = try records(GetLine.self)
            let count = Set(lines.map(\.index)).count
            return stride(from: 0, to: lines.count, by: max(1, count)).flatMap { start in
                lines[start..<min(start + count, lines.count)].sorted { ($0.index ?? 0) < ($1.index ?? 0) }
            }
        }
    }

    /// The lines, each a JSON object.
    func records<Record: Decodable>(_ type: Record.Type) throws -> [Record] {
        try lines.map { try JSONDecoder().decode(type, from: Data($0.utf8)) }
    }

    /// The names of the fields of one line's object, those that are null included.
    func fields(line: Int) throws -> Set<String> {
        struct Names: Decodable {
            struct Name: CodingKey {
                let stringValue: String
                var intValue: Int? { nil }
                init(stringValue: String) { self.stringValue = stringValue }
                init?(intValue: Int) { nil }
            }

            let names: Set<String>

            init(from decoder: any Decoder) throws {
                names = Set(try decoder.container(keyedBy: Name.self).allKeys.map(\.stringValue))
            }
        }
        try #require(lines.indices.contains(line))
        return try JSONDecoder().decode(Names.self, from: Data(lines[line].utf8)).names
    }
}
