internal import HalcyonHTTP

/// Which errors are worth another attempt.
///
/// Never those that another attempt cannot change: an URL that is none, a picture that cannot be decoded, a response
/// that was refused, an image that is in no cache while the network may not be used. A cancellation is no error.
public struct RetryableErrors: Sendable, Hashable {
    /// The host was not found, nothing answered, or the connection was lost. Default: `true`.
    public var connectionErrors: Bool
    /// One of ``TransferTimeouts`` ran out. Default: `true`.
    public var timeouts: Bool
    /// These answers of the server. Default: 408, 425, 429, 500, 502, 503, 504.
    public var statusCodes: Set<Int>

    /// Connection errors, time-outs, and answers that say that the server has a moment of weakness.
    public static let standard = RetryableErrors()
    /// Connection errors and time-outs, whatever the server answers.
    public static let connection = RetryableErrors(statusCodes: [])

    /// Errors with a default for each kind.
    public init(
        connectionErrors: Bool = true,
        timeouts: Bool = true,
        statusCodes: Set<Int> = [408, 425, 429, 500, 502, 503, 504]
    ) {
        self.connectionErrors = connectionErrors
        self.timeouts = timeouts
        self.statusCodes = statusCodes
    }

    /// Whether an error is one of these.
    public func contains(_ error: ImageError) -> Bool {
        switch error.reason {
        case .status(let status): statusCodes.contains(status)
        case .transfer(.cannotFindHost), .transfer(.cannotConnect), .transfer(.connectionLost): connectionErrors
        case .transfer(.timedOut): timeouts
        default: false
        }
    }
}
