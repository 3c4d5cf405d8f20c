internal import Halcyon
internal import HalcyonSystem

/// Says what is done as it is done: a line of JSON or text as each image ends, a table where all of them fit on a screen, and
/// the summary. Used by one task, but for ``end(isInterrupted:)``.
final class ResultOutput: Sendable {
    private struct State {
        var summary = RunSummary()
        /// The results for the table; `nil` once there are more than a screen shows.
        var rows: [GetResult]? = []
        var isEnded = false
    }

    private let json: Bool
    private let trace: Bool
    /// Whether the standard output has an image.
    private let isQuiet: Bool
    private let display: ProgressDisplay
    private let report: ReportFile?
    private let state = Lock(State())

    init(json: Bool, trace: Bool, isQuiet: Bool, display: ProgressDisplay, report: ReportFile?) {
        self.json = json
        self.trace = trace
        self.isQuiet = isQuiet
        self.display = display
        self.report = report
    }

    /// Whether every image so far is done.
    var isSuccess: Bool { state.withLock { $0.summary.failedCount == 0 } }

    /// - Parameters:
    ///   - isReported: Whether the report gets a line.
    ///   - isWarned: Whether a failure is a line of the error output.
    func add(_ result: GetResult, isReported: Bool = true, isWarned: Bool = true) {
        if isReported { report?.write(result) }
        if case .failed(let error) = result.outcome {
            display.fail()
            if !json, isWarned { display.interrupt { Terminal.warn(error.fullDescription) } }
        }
        if case .loaded(let loaded) = result.outcome, loaded.isPartial, !json {
            display.interrupt { Terminal.warn(Terminal.partialImage(result.argument.shownText)) }
        }
        if case .loaded(let loaded) = result.outcome, let note = loaded.note, !json {
            display.interrupt { Terminal.warn("\(result.argument.shownText): \(note)") }
        }
        let lines = state.withLock { state -> [String] in
            state.summary.add(result)
            if isQuiet { return [] }
            if json { return [JSONLine.text(result.record)] }
            guard var rows = state.rows else { return [result.line] }
            rows.append(result)
            guard rows.count > Terminal.resultRows else {
                state.rows = rows
                return []
            }
            state.rows = nil
            return rows.map(\.line)
        }
        // A terminal has the progress instead of lines; what does not fit a screen leaves only failures and the summary.
        if !lines.isEmpty, json || Terminal.resultWidth == nil {
            display.interrupt { for line in lines { Terminal.print(line) } }
        }
        guard trace, !isQuiet else { return }
        display.interrupt {
            for line in TraceReport(result).lines {
                // Programs read the results, so the timelines go to the error output.
                if json { Terminal.note(line) } else { Terminal.print(line) }
            }
        }
    }

    /// Begins another round.
    func begin(round: Int, of count: Int) {
        state.withLock { $0 = State() }
        guard !json, !isQuiet else { return }
        if round > 1 { Terminal.print("") }
        if count > 1 { Terminal.print("Round \(round)") }
    }

    /// Says the table and the summary, once.
    func end(isInterrupted: Bool) {
        display.finish()
        let ended = state.withLock { state -> State? in
            defer { state.isEnded = true }
            state.summary.isInterrupted = isInterrupted
            return state.isEnded ? nil : state
        }
        guard let ended else { return }
        let summary = ended.summary.line
        if !json, !isQuiet {
            // In the order of the list, however they ended.
            if let rows = ended.rows, !rows.isEmpty {
                let table = GetTable(rows.sorted { $0.index < $1.index })
                for line in table.lines(width: Terminal.resultWidth) { Terminal.print(line) }
            }
            Terminal.print(summary)
        }
        let isSeen = !json && !isQuiet && Terminal.resultWidth != nil
        if !isSeen, display.isShown || (json || isQuiet) && isInterrupted { Terminal.note(summary) }
    }
}
