public import HalcyonHTTP

/// A type that reviews the head of a response before any of the body is received, and may refuse it.
public protocol ResponseReviewing: Hashable, Sendable {
    /// Returns whether the body is accepted. With `false` or an error, the transfer ends without the body, and the
    /// download fails with ``ImageError/Reason/responseRejected(_:)``.
    ///
    /// The transfer is paused until it returns. Called after status and content type were accepted.
    func accepts(_ response: TransferResponse) async throws -> Bool
}

/// A closure that reviews responses. It is equal to its copies only, so keep one where equal requests are to share
/// work.
public struct ResponseReviewer: ResponseReviewing {
    private let closure: IdentifiedClosure<@Sendable (TransferResponse) async throws -> Bool>

    /// A reviewer with a closure; see ``ResponseReviewing/accepts(_:)``.
    public init(_ closure: @escaping @Sendable (TransferResponse) async throws -> Bool) {
        self.closure = IdentifiedClosure(closure)
    }

    /// Returns the result of the closure.
    public func accepts(_ response: TransferResponse) async throws -> Bool {
        try await closure.function(response)
    }
}
