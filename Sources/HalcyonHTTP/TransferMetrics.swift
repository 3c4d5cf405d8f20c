/// What a finished transfer took. Durations count from the moment the transport took the request.
public struct TransferMetrics: Sendable, Hashable {
    /// Waiting for its turn.
    public var queued: Duration
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
    /// "http/1.1", "h2", …
    public var networkProtocol: String
    /// Whether an open connection was used again.
    public var isReusedConnection: Bool
    /// Redirects followed.
    public var redirectCount: Int

    /// Metrics with zero for everything that is not given.
    public init(
        queued: Duration = .zero,
        nameLookup: Duration = .zero,
        connect: Duration = .zero,
        secureConnection: Duration = .zero,
        firstByte: Duration = .zero,
        total: Duration = .zero,
        bodyBytesReceived: Int = 0,
        networkProtocol: String = "http/1.1",
        isReusedConnection: Bool = false,
        redirectCount: Int = 0
    ) {
        self.queued = queued
        self.nameLookup = nameLookup
        self.connect = connect
        self.secureConnection = secureConnection
        self.firstByte = firstByte
        self.total = total
        self.bodyBytesReceived = bodyBytesReceived
        self.networkProtocol = networkProtocol
        self.isReusedConnection = isReusedConnection
        self.redirectCount = redirectCount
    }
}
