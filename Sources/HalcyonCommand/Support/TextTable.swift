/// A table of text, its columns as wide as their widest cell.
struct TextTable {
    /// The alignments of a column.
    enum Alignment {
        case left
        case right
    }

    private var columns: [(title: String, alignment: Alignment)]
    private var rows: [[String]] = []

    init(_ columns: [(title: String, alignment: Alignment)]) {
        self.columns = columns
    }

    mutating func append(_ row: [String]) {
        rows.append(row)
    }

    /// Removes the column with this title.
    mutating func remove(column title: String) {
        guard let index = columns.firstIndex(where: { $0.title == title }) else { return }
        columns.remove(at: index)
        for row in rows.indices { rows[row].remove(at: index) }
    }

    /// The columns of the terminal that the longest line takes.
    var width: Int { widths.reduce(0, +) + Self.gap.count * max(0, columns.count - 1) }

    private static let gap = "  "

    private var widths: [Int] {
        columns.indices.map { column in
            ([columns[column].title] + rows.map { $0[column] }).map(\.columnCount).max() ?? 0
        }
    }

    /// The lines, a head and a rule first.
    var lines: [String] {
        let widths = widths
        let head = line(columns.map(\.title), widths)
        let rule = widths.map { String(repeating: "─", count: $0) }.joined(separator: Self.gap)
        return [head, rule] + rows.map { line($0, widths) }
    }

    private func line(_ cells: [String], _ widths: [Int]) -> String {
        let padded = zip(zip(cells, widths), columns).map { cell, column in
            let padding = String(repeating: " ", count: max(0, cell.1 - cell.0.columnCount))
            return column.alignment == .left ? cell.0 + padding : padding + cell.0
        }
        let text = padded.joined(separator: Self.gap)
        return String(text.reversed().drop { $0 == " " }.reversed())
    }
}
