/// What a finished transfer took, by libcurl's clock. Moments are told as the time since the transport took the request,
/// redirects included; where there were redirects, those of looking up, connecting and the first byte are the last hop's.
public struct TransferMetrics: Sendable, Hashable {
    /// Waiting for its turn, in all hops together.
    public var queued: Duration
    /// Until the last redirect was followed; zero without one.
    public var redirected: Duration
    /// Until the name was looked up; zero on a reused connection.
    public var nameLookup: Duration
    /// Until the connection stood; zero on a reused connection.
    public var connect: Duration
    /// Until TLS was agreed; zero without TLS or on a reused connection.
    public var secureConnection: Duration
    /// Until the first byte of the response.
    public var firstByte: Duration
    /// Until the last byte.
    public var total: Duration
    /// Bytes of the body on the wire, before its content coding was undone.
    public var bodyBytesReceived: Int
    /// Bytes of all responses on the wire, those of redirects included: bodies and headers, which HTTP/2 compresses and
    /// which count as the lines that they stand for.
    public var bytesReceived: Int
    /// Bytes of all requests on the wire, counted likewise.
    public var bytesSent: Int
    /// "http/1.1", "h2", …
    public var networkProtocol: String
    /// Whether an open connection was used again.
    public var isReusedConnection: Bool
    /// The address connected to, "192.0.2.1" or "2001:db8::1": the server's, or its proxy's; `nil` where not known.
    public var remoteAddress: String?
    /// The port connected to; `nil` where not known.
    public var remotePort: Int?
    /// Redirects followed.
    public var redirectCount: Int

    /// From the first byte of the response to the last.
    public var body: Duration { total - firstByte }

    /// Metrics with zero for everything that is not given.
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
