internal import HTTPTypes
internal import HalcyonHTTP

/// What makes one transfer the same as another: all that is sent, the bounds it must keep to, and what happens to the
/// response.
struct TransferKey: Hashable, Sendable {
    private let request: TransferRequest
    private let handling: TransferHandling
    private let audience: ExactString?

    /// - Parameters:
    ///   - request: After it was modified.
    ///   - audience: For whom a responder among the handling answers.
    ///   - ignoredHeaders: Headers that make no difference, unless they prove who asks.
    init(
        _ request: TransferRequest,
        handling: TransferHandling,
        audience: String?,
        ignoring ignoredHeaders: Set<HTTPField.Name>
    ) {
        var request = request
        // Urgency is no part of what is sent.
        request.priority = .normal
        if !request.headers.isEmpty, !ignoredHeaders.isEmpty {
            for name in ignoredHeaders where request.headers.contains(name) && !name.isCredential {
                request.headers[name] = nil
            }
        }
        self.request = request
        self.handling = handling
        self.audience = audience.map { ExactString($0) }
    }
}
