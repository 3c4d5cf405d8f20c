public import FoundationEssentials

/// A whole response.
public struct HTTPResponseBody: Sendable {
    /// The head of the response.
    public var response: TransferResponse
    /// The body, its content coding undone.
    public var data: Data
    /// The metrics of the transfer.
    public var metrics: TransferMetrics
    /// A Boolean value that indicates whether it was given for another request than the one asked for, or for a
    /// credential that this does not show, because a hook of the request's own decided so.
    package var isForHiddenRequest = false

    /// A response of these parts.
    public init(response: TransferResponse, data: Data, metrics: TransferMetrics) {
        self.response = response
        self.data = data
        self.metrics = metrics
    }
}
