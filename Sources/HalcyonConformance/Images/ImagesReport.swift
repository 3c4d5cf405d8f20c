internal import FoundationEssentials

/// The outcome of a run over a collection of images.
struct ImagesReport {
    struct Line: CustomStringConvertible {
        let row: ImageManifestRow
        let verdict: ImageVerdict
        /// The cause of a failure that is known and excused.
        let knownCause: KnownDifference.Cause?

        var description: String {
            "\(verdict.kind.rawValue) \(row.path)\(verdict.reason.isEmpty ? "" : " \(verdict.reason)")"
        }
    }

    let folder: CorporaFolder
    private(set) var lines: [Line] = []

    init(folder: CorporaFolder) {
        self.folder = folder
    }

    /// Adds the line for the answer of a process about a row.
    @discardableResult
    mutating func add(_ row: ImageManifestRow, _ outcome: CheckingPool.Outcome, timeout: Double) -> Line {
        let line = line(row, outcome, timeout: timeout)
        lines.append(line)
        return line
    }

    private func line(_ row: ImageManifestRow, _ outcome: CheckingPool.Outcome, timeout: Double) -> Line {
        switch outcome {
        case .crash(let reason):
            return Line(row: row, verdict: .fail("crashed: \(reason)"), knownCause: nil)
        case .timeout:
            return Line(row: row, verdict: .fail("no answer within \(timeout.text(1)) s"), knownCause: nil)
        case .answer(let text):
            guard let verdict = ImageVerdict(text) else {
                return Line(row: row, verdict: .fail("no verdict: \(text)"), knownCause: nil)
            }
            let failure = KnownDifference.Failure(row: row, reason: verdict.reason) {
                (try? folder.data(row.path)).map { [UInt8]($0) } ?? []
            }
            if verdict.kind == .fail, let known = KnownDifference.excusing(failure) {
                return Line(
                    row: row,
                    verdict: .skip("\(verdict.reason) (known: \(known.explanation))"),
                    knownCause: known.cause
                )
            }
            return Line(row: row, verdict: verdict, knownCause: nil)
        }
    }

    func count(_ kind: ImageVerdict.Kind) -> Int { lines.count { $0.verdict.kind == kind } }

    /// The number of rows excused by a limit.
    var knownCount: Int { lines.count { $0.knownCause == .limit } }
    /// The number of rows excused by the list.
    var doubtfulCount: Int { lines.count { $0.knownCause == .list } }

    /// The number of lines that may be excused.
    var greatestKnownCount: Int { Int(Double(lines.count) * KnownDifference.greatestShare) }

    /// A Boolean value that indicates whether nothing failed, something passed, and little is excused.
    var conforms: Bool { count(.fail) == 0 && count(.pass) > 0 && knownCount <= greatestKnownCount }

    /// The totals by category and overall.
    var totals: [String] {
        let categories = Dictionary(grouping: lines, by: \.row.category).sorted { $0.key < $1.key }
        let width = categories.map(\.key.count).max() ?? 0
        return categories.map { category, lines in
            category + String(repeating: " ", count: width - category.count) + "  \(Self.counts(lines))"
        } + [
            "",
            "overall: \(Self.counts(lines)); known limits: \(knownCount) of at most \(greatestKnownCount), "
                + "figures of the list in doubt: \(doubtfulCount)",
            conforms ? "conforms" : "does not conform",
        ]
    }

    private static func counts(_ lines: [Line]) -> String {
        let counts = ImageVerdict.Kind.allCases.map { kind in
            "\(kind.rawValue) \(lines.count { $0.verdict.kind == kind })"
        }
        return counts.joined(separator: ", ")
    }
}
