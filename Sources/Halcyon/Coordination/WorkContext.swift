internal import HalcyonConcurrency

/// The context of a piece of work: the priority of its waiters, and the function to which it reports progress.
struct WorkContext: Sendable {
    /// The priority, which may change while the work is in progress.
    let priority: PriorityBox
    /// Reports the progress of the bytes to the waiters.
    let report: @Sendable (ImageProgress) -> Void
}
