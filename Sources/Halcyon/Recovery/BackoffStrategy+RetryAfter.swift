extension BackoffStrategy {
    /// Returns the decision to try again after a wait, which a server's `Retry-After` (RFC 9110, section 10.2.3) makes
    /// longer, or to stop if it asks for more than ``longestRetryAfter``.
    ///
    /// - Parameter retryAfter: The server's wait; `nil` if it names none.
    func retry(after delay: Duration, obeying retryAfter: Duration?) -> RetryDecision {
        guard let retryAfter else { return .retry(after: delay) }
        return retryAfter <= longestRetryAfter ? .retry(after: max(delay, retryAfter)) : .stop
    }
}
