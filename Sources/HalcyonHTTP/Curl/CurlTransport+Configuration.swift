public import FoundationEssentials

extension CurlTransport {
    /// The settings that are the same for all transfers of a transport.
    public struct Configuration: Sendable, Hashable {
        /// The largest number of transfers under way at a time; more wait. Default: 64.
        public var maximumConcurrentTransfers: Int
        /// The largest number of transfers under way at a time to one origin that does not multiplex, which is its
        /// number of connections. Over HTTP/2 only ``maximumConcurrentTransfers`` counts. Default: 6, as browsers do.
        public var maximumTransfersPerHost: Int
        /// The order of waiting transfers of equal priority. Default: ``TransferOrder/firstInFirstOut``.
        public var order: TransferOrder
        /// The largest number of transfers that may start in a time; a queued one that is cancelled takes nothing of
        /// it, a redirect that is followed does. Default: `nil`, any number, because a transfer that is cancelled
        /// before its turn costs next to nothing here, and a rate that limits fast scrolling would delay every other
        /// load.
        public var startRate: StartRate?
        /// The largest number of connections kept open for later transfers. Default: 64.
        public var maximumIdleConnections: Int
        /// A PEM file of the authorities to trust instead of the system's. Default: `nil`, the system's.
        public var certificateAuthorityFile: String?
        /// The authorities to trust, in PEM, instead of those of the file and of the system. Default: `nil`.
        public var certificateAuthorities: Data?
        /// The oldest version of TLS that is used. Default: 1.2.
        public var minimumTLSVersion = TLSVersion.v1_2
        /// The hosts whose certificate is not verified at all: exactly these names or addresses, on any port. An
        /// attacker on the network path can impersonate them. Default: none.
        public var trustedHosts: Set<String> = []
        /// The certificates that prove the client's identity to a host, by TLS, by "host" or "host:port". No other host
        /// is sent the certificate. Default: none.
        public var clientCertificates: [String: ClientCertificate] = [:]
        /// The credentials that prove the client's identity to a host, by "host" or "host:port", where the request has
        /// none of its own. Not sent unencrypted after a redirect from `https` to `http`. Default: none.
        public var credentials: [String: Credential] = [:]
        /// The file whose cookies are sent back as their attributes say, and that keeps those that responses set, also
        /// without an expiry; `nil`: none are kept, and those that redirects set are sent with the next requests of the
        /// same chain alone. Default: `nil`.
        ///
        /// The cookies are libcurl's: at most 50 for a domain, the newest, and 3,000 in all, where the domains with the
        /// most cookies lose their oldest first. One for a whole public suffix ("co.uk") is refused if the installed
        /// libcurl was built with libpsl, as those of Debian and Ubuntu are; without it, only for top-level domains. A
        /// request with a `Cookie` header of its own sends that one only, and its response sets none. The file is read
        /// with the first transfer, and written when no transfer is under way and when the transport ends.
        ///
        /// A transport with a file is one user: what it loads is cached for transports with the same file.
        public var cookies: CookieFile?
        /// The choice of proxies. Default: ``ProxyPolicy/environment``.
        public var proxies = ProxyPolicy.environment
        /// The addresses that may be connected to. Default: ``AddressPolicy/any``.
        public var addresses = AddressPolicy.any
        /// The value of `User-Agent` where a request has none of its own. Default: "Halcyon".
        public var userAgent: String
        /// A Boolean value that indicates whether servers of `http` URLs are known to speak HTTP/2 without TLS ("prior
        /// knowledge", RFC 9113, section 3.3), as behind a service mesh. They must then: there is no way back to
        /// HTTP/1.1. Transfers share a connection once it has brought a response; before libcurl 8.0, each has one of
        /// its own. Default: `false`.
        public var cleartextHTTP2: Bool
        /// The answers of a test that replace the system's.
        package var overrides = SystemOverrides()

        /// Creates a configuration with a default for each field; those that are missing here are set afterwards.
        public init(
            maximumConcurrentTransfers: Int = 64,
            maximumTransfersPerHost: Int = 6,
            order: TransferOrder = .firstInFirstOut,
            startRate: StartRate? = nil,
            maximumIdleConnections: Int = 64,
            certificateAuthorityFile: String? = nil,
            userAgent: String = "Halcyon",
            cleartextHTTP2: Bool = false
        ) {
            self.maximumConcurrentTransfers = maximumConcurrentTransfers
            self.maximumTransfersPerHost = maximumTransfersPerHost
            self.order = order
            self.startRate = startRate
            self.maximumIdleConnections = maximumIdleConnections
            self.certificateAuthorityFile = certificateAuthorityFile
            self.userAgent = userAgent
            self.cleartextHTTP2 = cleartextHTTP2
        }
    }
}

extension CurlTransport {
    /// The version of libcurl and of the libraries that it uses: "7.88.1 OpenSSL/3.0.15 …". `nil` where it is not installed.
    package static var libraryVersion: String? { CurlLibrary.versionText }
    /// A Boolean value that indicates whether transfers over HTTP/2 without TLS share connections with this libcurl.
    package static var sharesCleartextHTTP2: Bool { CurlLibrary.sharesCleartextHTTP2 }
    /// A Boolean value that indicates whether cookies for a whole public suffix are refused with this libcurl.
    package static var knowsPublicSuffixes: Bool { CurlLibrary.knowsPublicSuffixes }
}

/// The answers that replace the system's in tests.
package struct SystemOverrides: Sendable, Hashable {
    /// The variables instead of the process's.
    package var environment: [String: String]?
    /// The addresses instead of name look-ups: "host:port:address", as libcurl's CURLOPT_RESOLVE takes it.
    package var addresses: [String] = []
}

/// A version of Transport Layer Security.
public enum TLSVersion: Sendable, Hashable, Comparable {
    /// TLS 1.2 (RFC 5246).
    case v1_2
    /// TLS 1.3 (RFC 8446).
    case v1_3
}
