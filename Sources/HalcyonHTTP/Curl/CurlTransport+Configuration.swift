extension CurlTransport {
    /// What is the same for all transfers of a transport.
    public struct Configuration: Sendable, Hashable {
        /// Transfers under way at a time; more wait. Default: 64.
        public var maximumConcurrentTransfers: Int
        /// Transfers under way at a time to one origin that does not multiplex, which is its number of connections.
        /// Over HTTP/2 only ``maximumConcurrentTransfers`` counts. Default: 6, as browsers do.
        public var maximumTransfersPerHost: Int
        /// Connections kept open for later transfers. Default: 64.
        public var maximumIdleConnections: Int
        /// A PEM file of the authorities to trust instead of the system's. Default: `nil`, the system's.
        public var certificateAuthorityFile: String?
        /// Sent as `User-Agent` where a request has none of its own. Default: "Halcyon".
        public var userAgent: String
        /// Whether servers of `http` URLs are known to speak HTTP/2 without TLS ("prior knowledge", RFC 9113, section
        /// 3.3), as behind a service mesh. They must then: there is no way back to HTTP/1.1. Before libcurl 8.0, each such transfer has a
        /// connection of its own. Default: `false`.
        public var cleartextHTTP2: Bool

        /// A configuration with a default for each field.
        public init(
            maximumConcurrentTransfers: Int = 64,
            maximumTransfersPerHost: Int = 6,
            maximumIdleConnections: Int = 64,
            certificateAuthorityFile: String? = nil,
            userAgent: String = "Halcyon",
            cleartextHTTP2: Bool = false
        ) {
            self.maximumConcurrentTransfers = maximumConcurrentTransfers
            self.maximumTransfersPerHost = maximumTransfersPerHost
            self.maximumIdleConnections = maximumIdleConnections
            self.certificateAuthorityFile = certificateAuthorityFile
            self.userAgent = userAgent
            self.cleartextHTTP2 = cleartextHTTP2
        }
    }
}

extension CurlTransport {
    /// Whether transfers over HTTP/2 without TLS share connections with this libcurl.
    package static var sharesCleartextHTTP2: Bool { CurlLibrary.sharesCleartextHTTP2 }
}
