public import HalcyonHTTP

/// Changes the head of a response before anything else looks at it: gives a status that the checks accept, or caching
/// headers that the server forgot.
public protocol ResponseModifying: Hashable, Sendable {
    /// The head that everyone sees from here on. An error ends the transfer, and the download fails with
    /// ``ImageError/Reason/responseRejected(_:)``.
    ///
    /// The transfer pauses until the answer is there. Redirects and demands for authentication are dealt with before. A response
    /// whose status a modifier of the options changes is cached only with a named ``CachePolicy/scope``, or
    /// ``CacheScope/sharedAcrossCredentials``.
    func modified(_ response: TransferResponse) async throws -> TransferResponse
}

/// A closure that modifies responses. It is equal to its copies only, so keep one where equal requests are to share
/// work.
public struct ResponseModifier: ResponseModifying {
    private let closure: IdentifiedClosure<@Sendable (TransferResponse) async throws -> TransferResponse>

    /// Modifies responses by a closure; see ``ResponseModifying/modified(_:)``.
    public init(_ closure: @escaping @Sendable (TransferResponse) async throws -> TransferResponse) {
        self.closure = IdentifiedClosure(closure)
    }

    /// What the closure answers.
    public func modified(_ response: TransferResponse) async throws -> TransferResponse {
        try await closure.function(response)
    }
}
