internal import HalcyonConcurrency

/// What a piece of work knows of those it works for: how urgent they are, and whom to tell of progress.
struct WorkContext: Sendable {
    /// The urgency; it may change while the work goes on.
    let priority: PriorityBox
    /// Tells those who wait how far the bytes have come.
    let report: @Sendable (ImageProgress) -> Void
}
