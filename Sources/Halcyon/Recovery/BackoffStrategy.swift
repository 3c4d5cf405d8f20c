/// Tries again a number of times, after growing or equal waits.
///
/// A server's `Retry-After` (RFC 9110, section 10.2.3) makes a wait longer, never shorter. If it asks for more than
/// ``longestRetryAfter``, the load fails at once: asking earlier than the server wants would only be refused again.
public struct BackoffStrategy: RetryStrategy {
    /// How the waits follow each other.
    public enum Growth: Sendable, Hashable {
        /// Always the base.
        case fixed
        /// The base, twice the base, three times the base, …
        case linear
        /// The base, then each time this factor more; at least 1.
        case exponential(factor: Double)
    }

    /// How often the load is tried in all, the first attempt included; at least 1.
    public var maxAttempts: Int
    /// The wait after the first failure, before jitter.
    public var base: Duration
    /// How the waits follow each other.
    public var growth: Growth
    /// What no wait is longer than, unless the server asks for more. Default: 60 s.
    public var maximum: Duration
    /// The part of each wait that chance may take away, so that many loads that failed together do not come back
    /// together: 0: none, 1: anything between at once and the whole wait.
    public var jitter: Double
    /// Which errors are worth another attempt. Default: ``RetryableErrors/standard``.
    public var errors: RetryableErrors
    /// The longest `Retry-After` that is waited for. Default: 60 s.
    public var longestRetryAfter: Duration

    /// A strategy with a default for almost everything.
    public init(
        maxAttempts: Int,
        base: Duration,
        growth: Growth,
        maximum: Duration = .seconds(60),
        jitter: Double = 0,
        errors: RetryableErrors = .standard,
        longestRetryAfter: Duration = .seconds(60)
    ) {
        self.maxAttempts = maxAttempts
        self.base = base
        self.growth = growth
        self.maximum = maximum
        self.jitter = jitter
        self.errors = errors
        self.longestRetryAfter = longestRetryAfter
    }

    /// Stops after the last attempt, and on errors that another attempt cannot change.
    public func decide(_ attempt: RetryContext) async -> RetryDecision {
        guard attempt.attemptCount < maxAttempts, errors.contains(attempt.error) else { return .stop }
        let delay = delay(afterAttempt: attempt.attemptCount, randomFraction: attempt.randomFraction)
        guard let retryAfter = attempt.error.retryAfter else { return .retry(after: delay) }
        return retryAfter <= longestRetryAfter ? .retry(after: max(delay, retryAfter)) : .stop
    }

    /// The wait after an attempt, the first being 1.
    ///
    /// - Parameters:
    ///   - attempt: The number of the attempt that failed.
    ///   - randomFraction: In 0..<1.
    public func delay(afterAttempt attempt: Int, randomFraction: Double = 0) -> Duration {
        // In floating point: a power grows beyond what a duration holds, and then the maximum is what counts.
        let seconds = base / .seconds(1)
        let ceiling = max(0, maximum / .seconds(1))
        let grown =
            switch growth {
            case .fixed: seconds
            case .linear: seconds * Double(attempt)
            case .exponential(let factor): seconds * Self.power(max(1, factor), attempt - 1)
            }
        let spread = 1 - min(max(jitter, 0), 1) * randomFraction
        return .seconds(min(max(0, grown), ceiling) * spread)
    }

    private static func power(_ factor: Double, _ exponent: Int) -> Double {
        // Beyond a thousand steps it is infinite or one, or as good as that.
        (0..<min(max(0, exponent), 1_000)).reduce(1) { product, _ in product * factor }
    }
}

extension RetryStrategy where Self == BackoffStrategy {
    /// Equal waits.
    ///
    /// - Parameters:
    ///   - maxAttempts: How often the load is tried in all. Default: 3.
    ///   - base: Each wait. Default: 3 s.
    ///   - jitter: The part of each wait that chance may take away. Default: 0.
    ///   - errors: Default: ``RetryableErrors/standard``.
    public static func fixed(
        maxAttempts: Int = 3,
        base: Duration = .seconds(3),
        jitter: Double = 0,
        errors: RetryableErrors = .standard
    ) -> BackoffStrategy {
        let maximum = max(base, .seconds(60))
        return BackoffStrategy(
            maxAttempts: maxAttempts,
            base: base,
            growth: .fixed,
            maximum: maximum,
            jitter: jitter,
            errors: errors
        )
    }

    /// Waits of once, twice, three times the base, …
    ///
    /// - Parameters:
    ///   - maxAttempts: How often the load is tried in all. Default: 3.
    ///   - base: The first wait. Default: 3 s.
    ///   - maximum: The longest wait. Default: 60 s.
    ///   - jitter: The part of each wait that chance may take away. Default: 0.
    ///   - errors: Default: ``RetryableErrors/standard``.
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

    /// Waits that grow by a factor, shortened by chance.
    ///
    /// - Parameters:
    ///   - maxAttempts: How often the load is tried in all. Default: 3.
    ///   - base: The first wait. Default: 1 s.
    ///   - factor: How much longer each wait is than the one before. Default: 2.
    ///   - maximum: The longest wait. Default: 60 s.
    ///   - jitter: The part of each wait that chance may take away. Default: 0.5.
    ///   - errors: Default: ``RetryableErrors/standard``.
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
