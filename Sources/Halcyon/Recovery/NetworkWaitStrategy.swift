/// A strategy that tries again once the network is connected.
///
/// While the network is connected, attempts are ``delay`` apart, so that a server that is down is not asked without
/// pause.
public struct NetworkWaitStrategy: RetryStrategy {
    /// The largest number of attempts, the first included; at least 1. Default: 3.
    public var maxAttempts: Int
    /// The longest wait for the network; `nil`: no bound. Default: 30 s.
    public var timeout: Duration?
    /// The wait when the network is connected already. Default: 1 s.
    public var delay: Duration
    /// The errors that are worth another attempt. Default: ``RetryableErrors/connection``.
    public var errors: RetryableErrors

    /// Stops after the last attempt, and on errors that a network does not change.
    public func decide(_ attempt: RetryContext) async -> RetryDecision {
        guard attempt.attemptCount < maxAttempts, errors.contains(attempt.error) else { return .stop }
        return .retryWhenConnected(delay: delay, timeout: timeout)
    }
}

extension RetryStrategy where Self == NetworkWaitStrategy {
    /// Returns a strategy that tries again once the network is connected.
    ///
    /// - Parameters:
    ///   - maxAttempts: The largest number of attempts, the first included. Default: 3.
    ///   - timeout: The longest wait for the network; `nil`: no bound. Default: 30 s.
    ///   - delay: The wait when the network is connected already. Default: 1 s.
    ///   - errors: The errors that are worth another attempt. Default: ``RetryableErrors/connection``.
    public static func waitForNetwork(
        maxAttempts: Int = 3,
        timeout: Duration? = .seconds(30),
        delay: Duration = .seconds(1),
        errors: RetryableErrors = .connection
    ) -> NetworkWaitStrategy {
        NetworkWaitStrategy(maxAttempts: maxAttempts, timeout: timeout, delay: delay, errors: errors)
    }
}
