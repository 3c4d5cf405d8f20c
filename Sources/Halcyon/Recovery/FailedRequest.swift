internal import HalcyonHTTP

/// What decides whether a request without hooks of its own fails: all that is sent, and what is accepted.
struct FailedRequest: Hashable, Sendable {
    /// Without what says how urgent or how patient the one who asks is.
    let transfer: TransferRequest
    private let acceptedStatusCodes: Range<Int>?
    private let acceptedContentTypes: Set<String>?
    /// The frame that failed, for a failure of one behind the first; `nil`: the request itself failed, or the first frame.
    private var frame: Int?

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

    /// What names the failure of a frame alone. That of the first is one of the image.
    func ofFrame(_ frame: Int) -> FailedRequest {
        var request = self
        request.frame = frame == 0 ? nil : frame
        return request
    }
}
