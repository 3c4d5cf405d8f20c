internal import FoundationEssentials

/// Writes results as they come.
protocol Reporter {
    func begin()
    func report(_ result: BenchmarkResult) throws
}

/// One JSON object a line.
struct JSONReporter: Reporter {
    private let encoder = JSONEncoder()

    init() {
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    }

    func begin() {}

    func report(_ result: BenchmarkResult) throws {
        StandardStream.output.writeLine(String(decoding: try encoder.encode(result), as: UTF8.self))
    }
}

/// Columns for people.
struct TableReporter: Reporter {
    func begin() {
        StandardStream.output.writeLine(
            Self.row("suite", "case", "ours", "reference", "unit", "ratio", "spread", "budget", "measured against")
        )
    }

    func report(_ result: BenchmarkResult) {
        StandardStream.output.writeLine(
            Self.row(
                result.suite,
                result.name,
                Self.figure(result.ours),
                result.reference.map { Self.figure($0.value) } ?? "–",
                result.unit,
                result.ratio.map { "\(Self.decimals($0, 2))×" } ?? "–",
                "\(Self.decimals(result.spread * 100, 0)) %",
                Self.verdict(result),
                result.reference?.name ?? "–"
            )
        )
    }

    private static func verdict(_ result: BenchmarkResult) -> String {
        guard let budget = result.budget, let ratio = result.ratio else { return "–" }
        return "\(ratio <= budget ? "met" : "MISSED") (\(decimals(budget, 2)))"
    }

    private static func row(_ columns: String...) -> String {
        let widths = [9, 60, 10, 10, 10, 8, 7, 14, 0]
        var line = ""
        for (index, (column, width)) in zip(columns, widths).enumerated() {
            let padding = String(repeating: " ", count: max(0, width - column.count))
            let isNumber = [2, 3, 5, 6].contains(index)
            line += (isNumber ? padding + column : column + padding) + "  "
        }
        while line.last == " " {
            line.removeLast()
        }
        return line
    }

    /// Three digits that count.
    private static func figure(_ value: Double) -> String {
        let whole = value.rounded()
        if abs(value) >= 100 || whole == value { return String(Int(whole)) }
        return decimals(value, abs(value) >= 10 ? 1 : 2)
    }

    private static func decimals(_ value: Double, _ count: Int) -> String {
        let scale = [1, 10, 100][count]
        let scaled = Int((value.magnitude * Double(scale)).rounded())
        let sign = value < 0 && scaled > 0 ? "-" : ""
        guard count > 0 else { return "\(sign)\(scaled)" }
        let fraction = String(scaled % scale)
        return "\(sign)\(scaled / scale)." + String(repeating: "0", count: count - fraction.count) + fraction
    }
}
