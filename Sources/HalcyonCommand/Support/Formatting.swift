internal import FoundationEssentials

extension Duration {
    /// Milliseconds, to three decimal places.
    var milliseconds: Double {
        let (seconds, attoseconds) = components
        let value = Double(seconds) * 1e3 + Double(attoseconds) / 1e15
        return (value * 1e3).rounded() / 1e3
    }
}

/// Numbers as people read them.
enum Format {
    /// "640 B", "24.3 kB", "1.2 MB"; a kB is 1,000 bytes.
    static func bytes(_ count: Int) -> String {
        guard count >= 1000 else { return "\(count) B" }
        var value = Double(count) / 1000
        for unit in ["kB", "MB", "GB"] {
            if value < 999.95 { return "\(decimal(value, places: 1)) \(unit)" }
            value /= 1000
        }
        return "\(decimal(value, places: 1)) TB"
    }

    /// "12.3", or "–" where there is no number.
    static func milliseconds(_ duration: Duration?) -> String {
        guard let duration else { return "–" }
        return decimal(duration.milliseconds, places: 1)
    }

    /// A number with this many decimal places.
    static func decimal(_ value: Double, places: Int) -> String {
        var scale = 1
        for _ in 0..<places { scale *= 10 }
        let scaled = Int((value * Double(scale)).rounded())
        let fraction = String(abs(scaled) % scale)
        let padding = String(repeating: "0", count: places - fraction.count)
        return "\(scaled < 0 ? "-" : "")\(abs(scaled) / scale).\(padding)\(fraction)"
    }
}

/// A table of text, its columns as wide as their widest cell.
struct TextTable {
    /// How a column is lined up.
    enum Alignment {
        case left
        case right
    }

    private let columns: [(title: String, alignment: Alignment)]
    private var rows: [[String]] = []

    init(_ columns: [(title: String, alignment: Alignment)]) {
        self.columns = columns
    }

    mutating func append(_ row: [String]) {
        rows.append(row)
    }

    /// The lines, a head and a rule first.
    var lines: [String] {
        let widths = columns.indices.map { column in
            ([columns[column].title] + rows.map { $0[column] }).map(\.count).max() ?? 0
        }
        let head = line(columns.map(\.title), widths)
        let rule = widths.map { String(repeating: "─", count: $0) }.joined(separator: "  ")
        return [head, rule] + rows.map { line($0, widths) }
    }

    private func line(_ cells: [String], _ widths: [Int]) -> String {
        let padded = zip(zip(cells, widths), columns).map { cell, column in
            let padding = String(repeating: " ", count: max(0, cell.1 - cell.0.count))
            return column.alignment == .left ? cell.0 + padding : padding + cell.0
        }
        let text = padded.joined(separator: "  ")
        return String(text.reversed().drop { $0 == " " }.reversed())
    }
}

/// Writes one JSON object a line.
enum JSONLine {
    static func text(_ value: some Encodable) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // What this program encodes are numbers and text, which always encode.
        guard let data = try? encoder.encode(value) else { return "{}" }
        return String(decoding: data, as: UTF8.self)
    }
}
