public import FoundationEssentials

/// A whole response.
public struct HTTPResponseBody: Sendable {
    /// The head of the response.
    public var response: TransferResponse
    /// The body, its content coding undone.
    public var data: Data
    /// The metrics of the transfer.
    public var metrics: TransferMetrics

    /// A response of these parts.
    public init(response: TransferResponse, data: Data, metrics: TransferMetrics) {
        self.response = response
        self.data = data
        self.metrics = metrics
    }
}
