internal import FoundationEssentials

/// The properties of the tests: whether they apply to a private cache, and the results of browsers.
struct CacheTestIndex: Sendable {
    struct Row: Sendable {
        let fields: [String: String]

        var gate: String { fields["suggested_gate"] ?? "" }
        /// The reason for which the test does not apply to a private cache; `nil` if it does.
        var inapplicability: String? {
            let applies = fields["applies"] ?? ""
            return applies.hasPrefix("skip") || gate == "skip" ? applies : nil
        }
    }

    static let browsers = ["chrome", "firefox", "safari"]

    let rows: [String: Row]

    /// Reads `index.tsv`, whose first line names the columns.
    init(_ data: Data) {
        let lines = String(decoding: data, as: UTF8.self).split(whereSeparator: \.isNewline)
        let names = (lines.first ?? "").split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        var rows: [String: Row] = [:]
        for line in lines.dropFirst() {
            let values = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            let row = Row(fields: Dictionary(zip(names, values)) { first, _ in first })
            if let id = row.fields["id"] { rows[id] = row }
        }
        self.rows = rows
    }

    /// Returns the reason for which a test is not run; `nil` if it is.
    func inapplicability(of id: String) -> String? {
        rows[id]?.inapplicability ?? InapplicableCacheTest.reasons[id].map { "not applicable: \($0)" }
    }

    /// The number of applicable tests of the kind "should" that each browser passes.
    var browserScores: [(browser: String, count: Int)] {
        let applicable = rows.filter { inapplicability(of: $0.key) == nil && $0.value.gate == "should" }
        return Self.browsers.map { browser in (browser, applicable.values.count { $0.fields[browser] == "pass" }) }
    }
}
