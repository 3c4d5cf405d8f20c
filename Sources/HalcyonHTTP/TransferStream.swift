public import FoundationEssentials

/// A response whose body arrives while it is read. For one reader: each piece goes to the first that asks.
///
/// Made by ``HTTPTransport/stream(for:)``.
public struct TransferStream: AsyncSequence, Sendable {
    /// A piece of the body, decoded from its content coding.
    public typealias Element = Data

    private let lifetime: Lifetime

    init(_ receiver: StreamReceiver) {
        lifetime = Lifetime(receiver)
    }

    /// The head of the response; waits for it. Throws a ``TransferError`` if the transfer ended before.
    public var response: TransferResponse {
        get async throws {
            try await lifetime.receiver.response()
        }
    }

    /// The metrics of the transfer, once it has ended well; else `nil`.
    public var metrics: TransferMetrics? {
        lifetime.receiver.metrics
    }

    /// Ends the transfer; the reader gets ``TransferError/cancelled``.
    public func cancel() {
        lifetime.receiver.handle.cancel()
    }

    /// Returns an iterator over the pieces that have not been read yet.
    public func makeAsyncIterator() -> Iterator {
        Iterator(lifetime: lifetime)
    }

    /// Reads the pieces of a ``TransferStream``.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let lifetime: Lifetime

        /// Returns the next piece, or `nil` after the last. Throws a ``TransferError``; cancelling the task cancels the
        /// transfer.
        public mutating func next() async throws -> Data? {
            try await lifetime.receiver.next()
        }
    }

    /// Cancels the transfer when the last stream or iterator is released.
    fileprivate final class Lifetime: Sendable {
        let receiver: StreamReceiver

        init(_ receiver: StreamReceiver) {
            self.receiver = receiver
        }

        deinit {
            receiver.handle.cancel()
        }
    }
}
