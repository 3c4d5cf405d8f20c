/// Tries again when the network is there.
///
/// While the network is connected, attempts are ``delay`` apart, so that a server that is down is not asked without
/// pause.
public struct NetworkWaitStrategy: RetryStrategy {
    /// How often the load is tried in all, the first attempt included; at least 1.
    public var maxAttempts: Int
    /// How long one wait for the network may take; `nil`: for ever.
    public var timeout: Duration?
    /// The wait when the network is connected already.
    public var delay: Duration
    /// Which errors are worth another attempt. Default: ``RetryableErrors/connection``.
    public var errors: RetryableErrors

    /// A strategy with a default for everything.
    public init(
        maxAttempts: Int = 3,
        timeout: Duration? = .seconds(30),
        delay: Duration = .seconds(1),
        errors: RetryableErrors = .connection
    ) {
        self.maxAttempts = maxAttempts
        self.timeout = timeout
        self.delay = delay
        self.errors = errors
    }

    /// Stops after the last attempt, and on errors that a network does not change.
    public func decide(_ attempt: RetryContext) async -> RetryDecision {
        guard attempt.attemptCount < maxAttempts, errors.contains(attempt.error) else { return .stop }
        return .retryWhenConnected(delay: delay, timeout: timeout)
    }
}

extension RetryStrategy where Self == NetworkWaitStrategy {
    /// Tries again when the network is there.
    ///
    /// - Parameters:
    ///   - maxAttempts: How often the load is tried in all. Default: 3.
    ///   - timeout: How long one wait for the network may take; `nil`: for ever. Default: 30 s.
    ///   - delay: The wait when the network is connected already. Default: 1 s.
    ///   - errors: Default: ``RetryableErrors/connection``.
    public static func waitForNetwork(
        maxAttempts: Int = 3,
        timeout: Duration? = .seconds(30),
        delay: Duration = .seconds(1),
        errors: RetryableErrors = .connection
    ) -> NetworkWaitStrategy {
        NetworkWaitStrategy(maxAttempts: maxAttempts, timeout: timeout, delay: delay, errors: errors)
    }
}
