public import HalcyonHTTP

extension ImageDownloader {
    /// What happens to a transfer. Each has exactly one ``Kind/started`` event, before any other, then one
    /// ``Kind/responded(_:)`` if the head of a final response comes, and exactly one ``Kind/finished(_:)`` event.
    /// Callers who join a transfer cause none.
    public struct Event: Sendable {
        /// What happened.
        public enum Kind: Sendable {
            /// The first request is about to be sent.
            case started
            /// The head of the final response has come, after redirects and authentication, as the server sent it.
            case responded(TransferResponse)
            /// The transfer is over, and the body has been through the data modifiers. The error is what the callers
            /// get: an ``ImageError``, or `CancellationError` after the last of them left.
            case finished(Result<TransferMetrics, any Error>)
        }

        /// Tells the transfers of a downloader apart.
        public let transfer: Int
        /// The request as it is sent first.
        public let request: TransferRequest
        /// What happened.
        public let kind: Kind
    }
}
