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
}
