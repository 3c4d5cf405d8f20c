internal import Glibc

/// A strategy that tries again a number of times, after growing or equal waits.
///
/// A server's `Retry-After` (RFC 9110, section 10.2.3) makes a wait longer, never shorter. If it asks for more than
/// ``longestRetryAfter``, the load fails at once, as an earlier request would only be refused again.
public struct BackoffStrategy: RetryStrategy {
    /// The growth of the waits.
    public enum Growth: Sendable, Hashable {
        /// Always the base.
        case fixed
        /// The base for the first wait, and one base more for each further wait.
        case linear
        /// The base for the first wait, then each time the last wait times this factor, which is at least 1.
        case exponential(factor: Double)
    }

    /// The largest number of attempts, the first included; at least 1.
    public var maxAttempts: Int
    /// The wait after the first failure, before jitter.
    public var base: Duration
    /// The growth of the waits.
    public var growth: Growth
    /// The longest wait before jitter, unless the server asks for more. Default: 60 s.
    public var maximum: Duration = .seconds(60)
    /// The largest part of each wait that is taken away at random, so that loads that failed together do not repeat
    /// together: 0: none, 1: the whole wait. Default: 0.
    public var jitter = 0.0
    /// The errors that are worth another attempt. Default: ``RetryableErrors/standard``.
    public var errors = RetryableErrors.standard
    /// The longest `Retry-After` that is waited for. Default: 60 s.
    public var longestRetryAfter: Duration = .seconds(60)

    /// Stops after the last attempt, and on errors that another attempt cannot change.
    public func decide(_ attempt: RetryContext) async -> RetryDecision {
        guard attempt.attemptCount < maxAttempts, errors.contains(attempt.error) else { return .stop }
        let delay = delay(afterAttempt: attempt.attemptCount, randomFraction: attempt.randomFraction)
        guard let retryAfter = attempt.error.retryAfter else { return .retry(after: delay) }
        return retryAfter <= longestRetryAfter ? .retry(after: max(delay, retryAfter)) : .stop
    }

    /// Returns the wait after an attempt, the first being 1.
    ///
    /// - Parameters:
    ///   - attempt: The number of the attempt that failed.
    ///   - randomFraction: A number in 0..<1. Default: 0.
    public func delay(afterAttempt attempt: Int, randomFraction: Double = 0) -> Duration {
        // In floating point: a power can exceed the range of a duration, and then the maximum counts.
        let seconds = base / .seconds(1)
        let ceiling = max(0, maximum / .seconds(1))
        let grown =
            switch growth {
            case .fixed: seconds
            case .linear: seconds * Double(attempt)
            case .exponential(let factor): seconds * pow(max(1, factor), Double(min(max(0, attempt - 1), 1_000)))
            }
        // What is no number is no jitter.
        let spread = 1 - (jitter > 0 ? min(jitter, 1) : 0) * randomFraction
        return .seconds(min(max(0, grown), ceiling) * spread)
    }
}

extension RetryStrategy where Self == BackoffStrategy {
    /// Returns a strategy with equal waits.
    ///
    /// - Parameters:
    ///   - maxAttempts: The largest number of attempts, the first included. Default: 3.
    ///   - base: Each wait. Default: 3 s.
    ///   - jitter: The largest part of each wait that is taken away at random. Default: 0.
    ///   - errors: The errors that are worth another attempt. Default: ``RetryableErrors/standard``.
    public static func fixed(
        maxAttempts: Int = 3,
        base: Duration = .seconds(3),
        jitter: Double = 0,
        errors: RetryableErrors = .standard
    ) -> BackoffStrategy {
        var strategy = linear(maxAttempts: maxAttempts, base: base, jitter: jitter, errors: errors)
        (strategy.growth, strategy.maximum) = (.fixed, max(base, strategy.maximum))
        return strategy
    }

    /// Returns a strategy with waits of once, twice, three times the base, …
    ///
    /// - Parameters:
    ///   - maxAttempts: The largest number of attempts, the first included. Default: 3.
    ///   - base: The first wait. Default: 3 s.
    ///   - maximum: The longest wait. Default: 60 s.
    ///   - jitter: The largest part of each wait that is taken away at random. Default: 0.
    ///   - errors: The errors that are worth another attempt. Default: ``RetryableErrors/standard``.
    public static func linear(
        maxAttempts: Int = 3,
        base: Duration = .seconds(3),
        maximum: Duration = .seconds(60),
        jitter: Double = 0,
        errors: RetryableErrors = .standard
    ) -> BackoffStrategy {
        BackoffStrategy(
            maxAttempts: maxAttempts,
            base: base,
            growth: .linear,
            maximum: maximum,
            jitter: jitter,
            errors: errors
        )
    }

    /// Returns a strategy with waits that grow by a factor, shortened at random.
    ///
    /// - Parameters:
    ///   - maxAttempts: The largest number of attempts, the first included. Default: 3.
    ///   - base: The first wait. Default: 1 s.
    ///   - factor: The ratio of each wait to the one before. Default: 2.
    ///   - maximum: The longest wait. Default: 60 s.
    ///   - jitter: The largest part of each wait that is taken away at random. Default: 0.5.
    ///   - errors: The errors that are worth another attempt. Default: ``RetryableErrors/standard``.
    public static func exponential(
        maxAttempts: Int = 3,
        base: Duration = .seconds(1),
        factor: Double = 2,
        maximum: Duration = .seconds(60),
        jitter: Double = 0.5,
        errors: RetryableErrors = .standard
    ) -> BackoffStrategy {
        BackoffStrategy(
            maxAttempts: maxAttempts,
            base: base,
            growth: .exponential(factor: factor),
            maximum: maximum,
            jitter: jitter,
            errors: errors
        )
    }
}
