public import HalcyonHTTP

/// Looks at the head of a response before any of the body is taken, and may refuse it.
public protocol ResponseReviewing: Hashable, Sendable {
    /// Whether the body is wanted. If not, or if an error is thrown, the transfer ends without the body, and the
    /// download fails with ``ImageError/Reason/responseRejected(_:)``.
    ///
    /// The transfer pauses until the answer is there. Called after status and content type were accepted.
    func accepts(_ response: TransferResponse) async throws -> Bool
}

/// A closure that reviews responses. It is equal to its copies only, so keep one where equal requests are to share
/// work.
public struct ResponseReviewer: ResponseReviewing {
    private let closure: IdentifiedClosure<@Sendable (TransferResponse) async throws -> Bool>

    /// Reviews responses by a closure; see ``ResponseReviewing/accepts(_:)``.
    public init(_ closure: @escaping @Sendable (TransferResponse) async throws -> Bool) {
        self.closure = IdentifiedClosure(closure)
    }

    /// What the closure answers.
    public func accepts(_ response: TransferResponse) async throws -> Bool {
        try await closure.function(response)
    }
}
