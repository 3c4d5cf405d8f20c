import FoundationEssentials
import Testing

/// A line that `get --json` printed.
struct GetLine: Decodable {
    struct Failure: Decodable, Equatable {
        var stage: String
        var reason: String
        var message: String
    }

    var url: String
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
    /// The lines of a `get --json`, in their order.
    var results: [GetLine] {
        get throws { try records(GetLine.self) }
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
