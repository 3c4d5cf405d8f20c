/// A type that decides whether a load that failed is tried again, and when.
///
/// A strategy is a value: loads of the same image whose strategies are equal share their attempts. It is called after
/// each failure to load the bytes, while the load has a waiter; a cancelled load is never tried again. Whatever it
/// decides, a load ends after 100 attempts.
///
/// ```swift
/// let image = try await pipeline.image(from: url, options: [.retry(.exponential(maxAttempts: 3))])
/// ```
public protocol RetryStrategy: Sendable, Hashable {
    /// Returns the step that follows a failure. It may suspend; when the load is cancelled, so is the task that runs
    /// it.
    func decide(_ attempt: RetryContext) async -> RetryDecision
}

/// The step that follows a failure.
public enum RetryDecision: Sendable, Hashable {
    /// The load fails with the last error.
    case stop
    /// The load is tried again after this time; zero: at once.
    case retry(after: Duration)
    /// The load is tried again once the network is connected. If it is already, or the source is on this machine, that
    /// is after `delay`. If it is not connected within `timeout` (`nil`: no bound), the load fails with the last error.
    case retryWhenConnected(delay: Duration, timeout: Duration?)
}

/// The information that a ``RetryStrategy`` decides with.
public struct RetryContext: Sendable {
    /// The source that is loaded.
    public let source: Source
    /// The errors of all attempts so far, in their order; never empty.
    public let errors: [ImageError]
    /// A number in 0..<1, generated for each decision, for strategies that spread their attempts.
    public let randomFraction: Double
    /// The error of the last attempt.
    public let error: ImageError

    /// A context for one decision.
    ///
    /// - Parameters:
    ///   - source: The source that is loaded.
    ///   - error: The error of the last attempt.
    ///   - previousErrors: The errors before the last, in their order. Default: none.
    ///   - randomFraction: A number in 0..<1. Default: 0.
    public init(
        source: Source,
        error: ImageError,
        previousErrors: [ImageError] = [],
        randomFraction: Double = 0
    ) {
        self.source = source
        self.error = error
        self.errors = previousErrors + [error]
        self.randomFraction = randomFraction
    }

    /// The number of attempts so far, the first included.
    public var attemptCount: Int { errors.count }
}
