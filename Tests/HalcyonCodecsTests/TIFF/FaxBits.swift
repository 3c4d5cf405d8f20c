/// Writes rows of two colours as fax machines do (ITU-T T.4 and T.6), as bits from the first one on.
struct FaxBits {
    enum Scheme: CaseIterable {
        /// Compression 2: runs, each row from a byte on.
        case modifiedHuffman
        /// Compression 3: runs, an end of line before each row.
        case group3
        /// Compression 3 with option 1: every second row by its differences from the one before.
        case group3TwoDimensional
        /// Compression 4: each row by its differences from the one before.
        case group4
    }

    /// The value of tag 259, Compression.
    let compression: Int
    /// The value of tag 292, T4Options.
    let options: Int
    private(set) var bits: [Bool] = []

    /// `rows`: `true` is dark. Runs may have 20 pixels at most.
    init(_ rows: [[Bool]], as scheme: Scheme) {
        compression =
            switch scheme {
            case .modifiedHuffman: 2
            case .group3, .group3TwoDimensional: 3
            case .group4: 4
            }
        options = scheme == .group3TwoDimensional ? 1 : 0
        var previous = [Bool](repeating: false, count: rows.first?.count ?? 0)
        for (index, row) in rows.enumerated() {
            switch scheme {
            case .modifiedHuffman:
                appendRuns(of: row)
                while bits.count % 8 > 0 { bits.append(false) }
            case .group3:
                append("000000000001")
                appendRuns(of: row)
            case .group3TwoDimensional:
                append("000000000001" + (index % 2 == 0 ? "1" : "0"))
                if index % 2 == 0 { appendRuns(of: row) } else { appendDifferences(of: row, from: previous) }
            case .group4:
                appendDifferences(of: row, from: previous)
            }
            previous = row
        }
        if scheme == .group4 { append("000000000001000000000001") }
    }

    /// The bytes, the first bit in the highest place, or in the lowest (tag 266, FillOrder).
    func bytes(fillOrder: Int) -> [UInt8] {
        stride(from: 0, to: bits.count, by: 8).map { start in
            bits[start...].prefix(8).enumerated().reduce(0) { byte, bit in
                byte | (bit.element ? 1 << (fillOrder == 2 ? bit.offset : 7 - bit.offset) : 0)
            }
        }
    }

    private mutating func append(_ code: String) {
        bits += code.map { $0 == "1" }
    }

    private mutating func appendRun(_ count: Int, isDark: Bool) {
        append((isDark ? Self.darkRuns : Self.lightRuns)[count])
    }

    private mutating func appendRuns(of row: [Bool]) {
        var (place, isDark) = (0, false)
        while place < row.count {
            let end = row[place...].firstIndex(of: !isDark) ?? row.count
            appendRun(end - place, isDark: isDark)
            (place, isDark) = (end, !isDark)
        }
    }

    /// T.4 section 4.2.1.3: a0, a1 and a2 are places of this row, b1 and b2 of the one before.
    private mutating func appendDifferences(of row: [Bool], from previous: [Bool]) {
        var (a0, isDark) = (-1, false)
        while a0 < row.count {
            let a1 = Self.firstChange(in: row, from: a0, toDark: !isDark)
            let b1 = Self.firstChange(in: previous, from: a0, toDark: !isDark)
            let b2 = Self.firstChange(in: previous, from: b1, toDark: isDark)
            if b2 < a1 {
                append("0001")
                a0 = b2
            } else if let code = Self.verticalCodes[a1 - b1] {
                append(code)
                (a0, isDark) = (a1, !isDark)
            } else {
                let a2 = Self.firstChange(in: row, from: a1, toDark: isDark)
                append("001")
                appendRun(a1 - max(a0, 0), isDark: isDark)
                appendRun(a2 - a1, isDark: !isDark)
                a0 = a2
            }
        }
    }

    /// The first place after another one where a row changes to a colour; the number of its pixels if it does not. What
    /// lies before a row is light.
    private static func firstChange(in row: [Bool], from place: Int, toDark: Bool) -> Int {
        guard place + 1 < row.count else { return row.count }
        return (place + 1..<row.count).first { row[$0] == toDark && ($0 > 0 ? row[$0 - 1] : false) != toDark }
            ?? row.count
    }

    private static let verticalCodes: [Int: String] = [
        0: "1", 1: "011", 2: "000011", 3: "0000011", -1: "010", -2: "000010", -3: "0000010",
    ]

    /// T.4 table 2.
    private static let lightRuns = [
        "00110101", "000111", "0111", "1000", "1011", "1100", "1110", "1111", "10011", "10100", "00111", "01000",
        "001000", "000011", "110100", "110101", "101010", "101011", "0100111", "0001100", "0001000",
    ]
    private static let darkRuns = [
        "0000110111", "010", "11", "10", "011", "0011", "0010", "00011", "000101", "000100", "0000100", "0000101",
        "0000111", "00000100", "00000111", "000011000", "0000010111", "0000011000", "0000001000", "00001100111",
        "00001101000",
    ]
}
