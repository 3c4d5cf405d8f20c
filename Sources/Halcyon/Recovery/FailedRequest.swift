internal import HalcyonHTTP

/// What decides whether a request without hooks of its own fails: all that is sent, and what is accepted.
struct FailedRequest: Hashable, Sendable {
    /// Without what says how urgent or how patient the one who asks is.
    let transfer: TransferRequest
    private let acceptedStatusCodes: Range<Int>?
    private let acceptedContentTypes: Set<String>?

    /// - Parameter policy: What is accepted. Default: the defaults.
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
