internal import HTTPTypes
internal import HalcyonHTTP
internal import HalcyonSystem

/// The identity of a transfer: all that is sent, the bounds, and the handling of the response.
struct TransferKey: Hashable, Sendable {
    private let request: TransferRequest
    private let handling: TransferHandling
    private let audience: ExactString?
    private let generation: UInt64
    /// A number that no other transfer has; `nil` if it is shared.
    private let own: UInt64?

    /// - Parameters:
    ///   - audience: The scope that the hooks of the handling answer for.
    ///   - generation: The ``DownloadSetup/generation`` under which it begins.
    ///   - ignoredHeaders: Headers that make no difference, unless they hold a credential.
    ///   - isShared: `false` for a transfer that no other request may join.
    init(
        _ request: TransferRequest,
        handling: TransferHandling,
        audience: String?,
        generation: UInt64,
        ignoring ignoredHeaders: Set<HTTPField.Name>,
        isShared: Bool
    ) {
        var request = request.normalized
        // Urgency is no part of what is sent.
        if request.priority != .normal { request.priority = .normal }
        if !request.headers.isEmpty, !ignoredHeaders.isEmpty {
            for name in ignoredHeaders where request.headers.contains(name) && !name.isCredential {
                request.headers[name] = nil
            }
        }
        self.request = request
        self.handling = handling
        self.generation = generation
        own = isShared ? nil : WorkNumber.next()
        self.audience = audience.map { ExactString($0) }
    }
}
