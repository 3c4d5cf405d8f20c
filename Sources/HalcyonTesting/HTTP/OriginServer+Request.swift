public import HTTPTypes

extension OriginServer {
    /// A request as it came over the wire.
    public struct Request: Sendable, Hashable {
        /// "GET", …
        public let method: String
        /// The request target, query included.
        public let path: String
        /// In order.
        public let headers: HTTPFields
        /// As long as its `Content-Length` says.
        public let body: [UInt8]
        /// Which connection it came on, counted from 0.
        public let connection: Int
    }
}
