public import HalcyonHTTP

/// Changes requests before they are sent, or rejects them: signs them, adds a token, maps a URL to a mirror.
///
/// Work is shared between requests that are equal after they were modified.
public protocol RequestModifying: Hashable, Sendable {
    /// The request to send; URL, method, headers and all else may differ. `nil` rejects it: nothing is sent, and the
    /// download fails with ``ImageError/Reason/requestRejected(_:)``, with the words of the error if one is thrown.
    func modified(_ request: TransferRequest) async throws -> TransferRequest?
}

/// A closure that modifies requests. It is equal to its copies only, so keep one where equal requests are to share
/// work.
public struct RequestModifier: RequestModifying {
    private let closure: IdentifiedClosure<@Sendable (TransferRequest) async throws -> TransferRequest?>

    /// Modifies requests by a closure; see ``RequestModifying/modified(_:)``.
    public init(_ closure: @escaping @Sendable (TransferRequest) async throws -> TransferRequest?) {
        self.closure = IdentifiedClosure(closure)
    }

    /// What the closure answers.
    public func modified(_ request: TransferRequest) async throws -> TransferRequest? {
        try await closure.function(request)
    }
}
