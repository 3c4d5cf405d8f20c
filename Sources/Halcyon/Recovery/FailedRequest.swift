internal import HalcyonHTTP

/// What decides whether a request fails: all that is sent, and what happens to the response.
struct FailedRequest: Hashable, Sendable {
    /// Without what says how urgent or how patient the one who asks is.
    let transfer: TransferRequest
    private let modifier: Hook<any RequestModifying>?
    private let handling: TransferHandling
    private let audience: String?

    /// - Parameters:
    ///   - rules: The hooks and filters of the options. Default: none.
    ///   - audience: The scope that is named. Default: none.
    init(_ request: TransferRequest, rules: TransferRules = TransferRules(), audience: String? = nil) {
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
        modifier = rules.requestModifier
        handling = rules.handling
        self.audience = audience
    }
}
