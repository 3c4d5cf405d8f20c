internal import HalcyonHTTP

/// The errors that are worth another attempt.
///
/// Errors that another attempt cannot change are never among them: an invalid URL, an image that cannot be decoded, a
/// response that was refused, an image that is in no cache while the network may not be used. A cancellation is no
/// error.
public struct RetryableErrors: Sendable, Hashable {
    /// A Boolean value that indicates whether connection errors are among them: the host was not found, there was no
    /// answer, or the connection was lost. Default: `true`.
    public var connectionErrors: Bool
    /// A Boolean value that indicates whether time-outs are among them: one of ``TransferTimeouts`` was exceeded.
    /// Default: `true`.
    public var timeouts: Bool
    /// The statuses that are among them. Default: 408, 425, 429, 500, 502, 503, 504, and 520, 522, 524, by which content delivery
    /// networks tell that the server behind them did not answer.
    public var statusCodes: Set<Int>

    /// Connection errors, time-outs, and statuses that stand for a transient failure of the server.
    public static let standard = RetryableErrors()
    /// Connection errors and time-outs, and no status.
    public static let connection = RetryableErrors(statusCodes: [])

    /// Errors with a default for each kind.
    public init(
        connectionErrors: Bool = true,
        timeouts: Bool = true,
        statusCodes: Set<Int> = [408, 425, 429, 500, 502, 503, 504, 520, 522, 524]
    ) {
        self.connectionErrors = connectionErrors
        self.timeouts = timeouts
        self.statusCodes = statusCodes
    }

    /// Returns whether an error is one of these.
    public func contains(_ error: ImageError) -> Bool {
        switch error.reason {
        case .status(let status): statusCodes.contains(status)
        case .transfer(.cannotFindHost), .transfer(.cannotConnect), .transfer(.connectionLost): connectionErrors
        case .transfer(.timedOut): timeouts
        default: false
        }
    }
}
