public import HalcyonHTTP

/// A type that changes the head of a response before anything else reads it: sets a status that the checks accept, or
/// caching headers that the server left out.
public protocol ResponseModifying: Hashable, Sendable {
    /// Returns the head for checks, reviewers and callers. An error ends the transfer, and the download fails with
    /// ``ImageError/Reason/responseRejected(_:)``.
    ///
    /// The transfer is paused until it returns. Redirects and demands for authentication are handled before. A response
    /// whose status a modifier of the options changes is cached only with a named ``CachePolicy/scope``, or
    /// ``CacheScope/sharedAcrossCredentials``.
    func modified(_ response: TransferResponse) async throws -> TransferResponse
}

/// A closure that modifies responses. It is equal to its copies only, so keep one where equal requests are to share
/// work.
public struct ResponseModifier: ResponseModifying {
    private let closure: IdentifiedClosure<@Sendable (TransferResponse) async throws -> TransferResponse>

    /// A modifier with a closure; see ``ResponseModifying/modified(_:)``.
    public init(_ closure: @escaping @Sendable (TransferResponse) async throws -> TransferResponse) {
        self.closure = IdentifiedClosure(closure)
    }

    /// Returns the result of the closure.
    public func modified(_ response: TransferResponse) async throws -> TransferResponse {
        try await closure.function(response)
    }
}
