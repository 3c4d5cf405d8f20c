extension CurlTransport {
    /// What is the same for all transfers of a transport.
    public struct Configuration: Sendable, Hashable {
        /// Transfers under way at a time; more wait. Default: 64.
        public var maximumConcurrentTransfers: Int
        /// Transfers under way at a time to one origin that does not multiplex, which is its number of connections.
        /// Over HTTP/2 only ``maximumConcurrentTransfers`` counts. Default: 6, as browsers do.
        public var maximumTransfersPerHost: Int
        /// Which of two waiting transfers of equal priority starts first. Default:
        /// ``TransferOrder/firstInFirstOut``.
        public var order: TransferOrder
        /// How many transfers may start in a time; a queued one that is cancelled takes nothing of it, a redirect that is
        /// followed does. Default: `nil`, any number, because a transfer that is cancelled before its turn costs
        /// next to nothing here, and a rate that tames fast scrolling would hold up every other load.
        public var startRate: StartRate?
        /// Connections kept open for later transfers. Default: 64.
        public var maximumIdleConnections: Int
        /// A PEM file of the authorities to trust instead of the system's. Default: `nil`, the system's.
        public var certificateAuthorityFile: String?
        /// Sent as `User-Agent` where a request has none of its own. Default: "Halcyon".
        public var userAgent: String

        /// A configuration with a default for each field.
        public init(
            maximumConcurrentTransfers: Int = 64,
            maximumTransfersPerHost: Int = 6,
            order: TransferOrder = .firstInFirstOut,
            startRate: StartRate? = nil,
            maximumIdleConnections: Int = 64,
            certificateAuthorityFile: String? = nil,
            userAgent: String = "Halcyon"
        ) {
            self.maximumConcurrentTransfers = maximumConcurrentTransfers
            self.maximumTransfersPerHost = maximumTransfersPerHost
            self.order = order
            self.startRate = startRate
            self.maximumIdleConnections = maximumIdleConnections
            self.certificateAuthorityFile = certificateAuthorityFile
            self.userAgent = userAgent
        }
    }
}
