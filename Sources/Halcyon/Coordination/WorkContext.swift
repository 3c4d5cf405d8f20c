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

    /// Returns the context of the next attempt, whose reports of progress follow all of the earlier ones.
    func nextAttempt() -> WorkContext {
        let number = WorkNumber.next()
        return mappingProgress {
            ProgressReport(source: $0.source, attempt: number, progress: $0.progress)
        }
    }

    /// Returns the context of a source that is tried in place of others.
    ///
    /// - Parameter number: The number of sources that were tried before.
    func ofSource(_ number: Int) -> WorkContext {
        mappingProgress {
            ProgressReport(source: number, attempt: $0.attempt, progress: $0.progress)
        }
    }

    private func mappingProgress(
        _ transform: @escaping @Sendable (ProgressReport) -> ProgressReport
    ) -> WorkContext {
        WorkContext(priority: priority) { [report] in
            if case .progress(let progress) = $0 {
                report(.progress(transform(progress)))
            } else {
                report($0)
            }
        }
    }
}
