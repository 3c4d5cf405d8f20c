internal import HalcyonConcurrency

/// The context of a piece of work: the priority of its waiters, and the function to which it reports progress.
struct WorkContext: Sendable {
    /// The priority, which may change while the work is in progress.
    let priority: PriorityBox
    /// Reports the progress of the bytes to the waiters.
    let report: @Sendable (ProgressReport) -> Void

    /// Returns the context of the next attempt, whose reports follow all of the earlier ones.
    func nextAttempt() -> WorkContext {
        let number = WorkNumber.next()
        return WorkContext(priority: priority) { [report] in
            report(ProgressReport(source: $0.source, attempt: number, progress: $0.progress))
        }
    }

    /// Returns the context of a source that is tried in place of others.
    ///
    /// - Parameter number: The number of sources that were tried before.
    func ofSource(_ number: Int) -> WorkContext {
        WorkContext(priority: priority) { [report] in
            report(ProgressReport(source: number, attempt: $0.attempt, progress: $0.progress))
        }
    }
}
