/// The times and bytes of a finished transfer, by libcurl's clock. Moments are the time since the transport took the
/// request, redirects included; where there were redirects, those of look-up, connection and first byte are the last
/// hop's.
public struct TransferMetrics: Sendable, Hashable {
    /// The time of waiting for its turn, in all hops together.
    public var queued: Duration
    /// The time until the last redirect was followed; zero without one.
    public var redirected: Duration
    /// The time until the name was looked up; zero on a reused connection.
    public var nameLookup: Duration
    /// The time until the connection was open; zero on a reused connection.
    public var connect: Duration
    /// The time until TLS was agreed; zero without TLS or on a reused connection.
    public var secureConnection: Duration
    /// The time until the first byte of the response.
    public var firstByte: Duration
    /// The time until the last byte.
    public var total: Duration
    /// The bytes of the body on the wire, before its content coding was undone.
    public var bodyBytesReceived: Int
    /// The bytes of all responses on the wire, those of redirects included: bodies and headers, which HTTP/2 compresses
    /// and which count as the lines that they stand for.
    public var bytesReceived: Int
    /// The bytes of all requests on the wire, counted likewise.
    public var bytesSent: Int
    /// The protocol: "http/1.1", "h2", …
    public var networkProtocol: String
    /// A Boolean value that indicates whether an open connection was used again.
    public var isReusedConnection: Bool
    /// The address of the connection, "192.0.2.1" or "2001:db8::1": the server's, or its proxy's; `nil` where not
    /// known.
    public var remoteAddress: String?
    /// The port of the connection; `nil` where not known.
    public var remotePort: Int?
    /// The number of redirects followed.
    public var redirectCount: Int

    /// The time from the first byte of the response to the last.
    public var body: Duration { total - firstByte }

    /// Creates metrics with zero for everything that is not given.
    public init(
        queued: Duration = .zero,
        redirected: Duration = .zero,
        nameLookup: Duration = .zero,
        connect: Duration = .zero,
        secureConnection: Duration = .zero,
        firstByte: Duration = .zero,
        total: Duration = .zero,
        bodyBytesReceived: Int = 0,
        bytesReceived: Int = 0,
        bytesSent: Int = 0,
        networkProtocol: String = "http/1.1",
        isReusedConnection: Bool = false,
        remoteAddress: String? = nil,
        remotePort: Int? = nil,
        redirectCount: Int = 0
    ) {
        self.queued = queued
        self.redirected = redirected
        self.nameLookup = nameLookup
        self.connect = connect
        self.secureConnection = secureConnection
        self.firstByte = firstByte
        self.total = total
        self.bodyBytesReceived = bodyBytesReceived
        self.bytesReceived = bytesReceived
        self.bytesSent = bytesSent
        self.networkProtocol = networkProtocol
        self.isReusedConnection = isReusedConnection
        self.remoteAddress = remoteAddress
        self.remotePort = remotePort
        self.redirectCount = redirectCount
    }
}
