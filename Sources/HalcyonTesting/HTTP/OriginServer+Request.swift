public import HTTPTypes

extension OriginServer {
    /// A request as it came over the wire.
    public struct Request: Sendable, Hashable {
        /// The method: "GET", …
        public let method: String
        /// The request target, query included.
        public let path: String
        /// The headers in order.
        public let headers: HTTPFields
        /// The body, as long as its `Content-Length` says.
        public let body: [UInt8]
        /// The number of the connection on which it came, counted from 0.
        public let connection: Int
    }
}
