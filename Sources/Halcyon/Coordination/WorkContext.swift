internal import HalcyonConcurrency

/// The context of a piece of work: the priority of its waiters, and the function by which it reports to them.
struct WorkContext: Sendable {
    /// The priority, which may change while the work is in progress.
    let priority: PriorityBox
    /// Reports the beginnings of stages and the progress of the bytes to the waiters.
    let report: @Sendable (WorkReport) -> Void

    /// Reports that a stage begins.
    func begin(_ stage: ImageError.Stage) {
        report(.began(stage))
    }

    /// Returns the context of the next attempt, whose reports of the body and its progress follow all of the earlier
    /// ones.
    func nextAttempt() -> WorkContext {
        numbering(source: nil, attempt: WorkNumber.next())
    }

    /// Returns the context of a source that is tried in place of others.
    ///
    /// - Parameter number: The number of sources that were tried before.
    func ofSource(_ number: Int) -> WorkContext {
        numbering(source: number, attempt: nil)
    }

    private func numbering(source: Int?, attempt: UInt64?) -> WorkContext {
        WorkContext(priority: priority) { [report] work in
            switch work {
            case .began:
                report(work)
            case .receiving(var body):
                body.source = source ?? body.source
                body.attempt = attempt ?? body.attempt
                report(.receiving(body))
            case .progress(var progress):
                progress.source = source ?? progress.source
                progress.attempt = attempt ?? progress.attempt
                report(.progress(progress))
            }
        }
    }
}
