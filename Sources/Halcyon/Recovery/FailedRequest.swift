internal import HalcyonHTTP

/// The parts of a request without hooks of its own that decide whether it fails: all that is sent, and the responses
/// that are accepted.
struct FailedRequest: Hashable, Sendable {
    /// The request, without its priority and its bounds.
    let transfer: TransferRequest
    private let acceptedStatusCodes: Range<Int>?
    private let acceptedContentTypes: Set<String>?

    /// - Parameter policy: The responses that are accepted. Default: the defaults.
    init(_ request: TransferRequest, policy: NetworkPolicy = NetworkPolicy()) {
        var transfer = TransferRequest(
            url: request.url,
            method: request.method,
            headers: request.headers,
            body: request.body
        )
        transfer.credential = request.credential
        transfer.proxyCredential = request.proxyCredential
        transfer.followsRedirects = request.followsRedirects
        self.transfer = transfer
        acceptedStatusCodes = policy.acceptedStatusCodes
        acceptedContentTypes = policy.acceptedContentTypes
    }
}
