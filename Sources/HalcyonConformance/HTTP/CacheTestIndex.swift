internal import FoundationEssentials

/// The properties of the tests: whether they apply to a private cache, and the results of browsers.
struct CacheTestIndex: Sendable {
    struct Row: Sendable {
        let fields: [String: String]

        var gate: String { fields["suggested_gate"] ?? "" }
        var appliesTo: String { fields["applies"] ?? "" }
        var isApplicable: Bool { !appliesTo.hasPrefix("skip") && gate != "skip" }
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

    /// The number of tests of the kind "should" that each browser passes.
    var browserScores: [(browser: String, count: Int)] {
        Self.browsers.map { browser in
            (browser, rows.values.count { $0.gate == "should" && $0.fields[browser] == "pass" })
        }
    }
}
