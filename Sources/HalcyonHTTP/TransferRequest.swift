public import FoundationEssentials
public import HTTPTypes
public import HalcyonConcurrency

/// One HTTP request and the bounds it must keep to.
public struct TransferRequest: Sendable, Hashable {
    /// Where to; `http` or `https`.
    public var url: URL
    /// Default: GET.
    public var method: HTTPRequest.Method
    /// Sent as they are, beside those the transport adds (`Host`, `Accept-Encoding`). A redirect to another origin takes
    /// along only those that say what is wanted, such as `Accept`, `Range` and `User-Agent`: any other, `X-Api-Key`
    /// as well as `Authorization`, might be a secret of the first server. Default: none.
    public var headers: HTTPFields
    /// Default: none.
    public var body: Data?
    /// Default: ``LoadPriority/normal``.
    public var priority: LoadPriority
    /// Default: ``TransferTimeouts/standard``.
    public var timeouts: TransferTimeouts
    /// Default: ``TransferLimits/standard``.
    public var limits: TransferLimits
    /// Proves to the server of ``url`` who asks; redirects to other origins do not carry it. It goes before a user name
    /// and password in the URL; a header `Authorization` goes before both. Default: none, or what the transport has for
    /// the host.
    public var credential: Credential?
    /// Proves to the proxy that serves ``url`` who asks. Default: none, or the proxy's own
    /// (``Proxy/credential``).
    public var proxyCredential: Credential?
    /// Whether redirects are followed, at most ``TransferLimits/redirects``. If not, a redirect is the response.
    /// Default: `true`.
    public var followsRedirects = true
    /// What came before, if redirects led to this request; `nil` for the first of a transfer.
    package var trail: RedirectTrail?

    /// A GET request with a default for everything else.
    public init(
        url: URL,
        method: HTTPRequest.Method = .get,
        headers: HTTPFields = [:],
        body: Data? = nil,
        priority: LoadPriority = .normal,
        timeouts: TransferTimeouts = .standard,
        limits: TransferLimits = .standard
    ) {
        self.url = url
        self.method = method
        self.headers = headers
        self.body = body
        self.priority = priority
        self.timeouts = timeouts
        self.limits = limits
    }
}

/// How long parts of a transfer may take.
public struct TransferTimeouts: Sendable, Hashable {
    /// Until there is a connection to send the request on: name look-up, TLS, and the wait for a connection that another
    /// transfer is opening to the same server and that this one may share. Default: 15 s.
    public var connect: Duration
    /// Without a single byte arriving. Default: 15 s.
    public var idle: Duration
    /// The whole transfer. Default: 5 minutes.
    public var total: Duration

    /// The defaults.
    public static let standard = TransferTimeouts()

    /// Timeouts with a default for each.
    public init(connect: Duration = .seconds(15), idle: Duration = .seconds(15), total: Duration = .seconds(300)) {
        self.connect = connect
        self.idle = idle
        self.total = total
    }
}

/// How much a server may send.
public struct TransferLimits: Sendable, Hashable {
    /// Bytes of the body, after its content coding is undone. Default: 200 MiB.
    public var bodyBytes: Int
    /// Bytes of all response headers together. Default: 256 KiB.
    public var headerBytes: Int
    /// Redirects followed. Default: 10.
    public var redirects: Int

    /// The defaults.
    public static let standard = TransferLimits()

    /// Limits with a default for each.
    public init(bodyBytes: Int = 200 << 20, headerBytes: Int = 256 << 10, redirects: Int = 10) {
        self.bodyBytes = bodyBytes
        self.headerBytes = headerBytes
        self.redirects = redirects
    }
}
