public import HalcyonHTTP

extension ImageDownloader {
    /// An event of a transfer. Each transfer has exactly one ``Kind/started`` event, before any other, then one
    /// ``Kind/responded(_:)`` if the head of a final response comes, and exactly one ``Kind/finished(_:)`` event.
    /// Callers who join a transfer cause none.
    public struct Event: Sendable {
        /// The kind of an event.
        public enum Kind: Sendable {
            /// The first request is about to be sent.
            case started
            /// The head of the final response has come, after redirects and authentication, as the server sent it.
            case responded(TransferResponse)
            /// The transfer is over, and hooks have run on the body. The error is the one that the callers
            /// get: an ``ImageError``, or `CancellationError` after the last of them cancelled.
            case finished(Result<TransferMetrics, any Error>)
        }

        /// The number of the transfer, unique within the downloader.
        public let transfer: Int
        /// The first request of the transfer, as it is sent.
        public let request: TransferRequest
        /// The kind of the event.
        public let kind: Kind
    }
}
