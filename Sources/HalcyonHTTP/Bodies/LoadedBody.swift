public import FoundationEssentials

/// A whole response.
public struct LoadedBody: Sendable {
    /// The head of the response.
    public var response: TransferResponse
    /// The body, its content coding undone.
    public var data: Data
    /// What the transfer took.
    public var metrics: TransferMetrics
    /// Whether it was given for a credential that the request itself does not show.
    package var isForHiddenCredential = false

    /// A response of these parts.
    public init(response: TransferResponse, data: Data, metrics: TransferMetrics) {
        self.response = response
        self.data = data
        self.metrics = metrics
    }
}
