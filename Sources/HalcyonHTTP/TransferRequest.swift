public import FoundationEssentials
public import HTTPTypes
public import HalcyonSystem

/// One HTTP request and its limits.
public struct TransferRequest: Sendable {
    private var storage: Storage

    /// The URL; `http` or `https`. Sent as it is spelled, without the dot segments of its path (RFC 3986, section 5.2.4).
    public var url: URL {
        _read { yield storage.fields.url }
        _modify {
            makeUnique()
            yield &storage.fields.url
        }
    }
    /// The method. Default: GET.
    public var method: HTTPRequest.Method {
        _read { yield storage.fields.method }
        _modify {
            makeUnique()
            yield &storage.fields.method
        }
    }
    /// The headers. Sent as they are, beside those that the transport adds (`Host`, `Accept-Encoding`). A redirect to
    /// another origin takes along only those that describe the wanted response, such as `Accept`, `Range` and
    /// `User-Agent`: any other, `X-Api-Key` as well as `Authorization`, might be a secret of the first server. Default:
    /// none.
    public var headers: HTTPFields {
        _read { yield storage.fields.headers }
        _modify {
            makeUnique()
            yield &storage.fields.headers
        }
    }
    /// The body. Default: none.
    public var body: Data? {
        _read { yield storage.fields.body }
        _modify {
            makeUnique()
            yield &storage.fields.body
        }
    }
    /// The priority against other transfers. Default: ``LoadPriority/normal``.
    public var priority: LoadPriority {
        _read { yield storage.fields.priority }
        _modify {
            makeUnique()
            yield &storage.fields.priority
        }
    }
    /// The timeouts. Default: ``TransferTimeouts/standard``.
    public var timeouts: TransferTimeouts {
        _read { yield storage.fields.timeouts }
        _modify {
            makeUnique()
            yield &storage.fields.timeouts
        }
    }
    /// The limits of the response. Default: ``TransferLimits/standard``.
    public var limits: TransferLimits {
        _read { yield storage.fields.limits }
        _modify {
            makeUnique()
            yield &storage.fields.limits
        }
    }
    /// The credential that proves the client's identity to the server of ``url``; redirects to other origins do not
    /// carry it. It takes precedence over a user name and password in the URL, and a header `Authorization` over both.
    /// Default: none, or the transport's for the host.
    public var credential: Credential? {
        _read { yield storage.fields.credential }
        _modify {
            makeUnique()
            yield &storage.fields.credential
        }
    }
    /// The credential that proves the client's identity to the proxy that serves ``url``. Default: none, or the proxy's
    /// own (``Proxy/credential``).
    public var proxyCredential: Credential? {
        _read { yield storage.fields.proxyCredential }
        _modify {
            makeUnique()
            yield &storage.fields.proxyCredential
        }
    }
    /// A Boolean value that indicates whether redirects are followed, at most ``TransferLimits/redirects``. If not, a
    /// redirect is the response. Default: `true`.
    public var followsRedirects: Bool {
        _read { yield storage.fields.followsRedirects }
        _modify {
            makeUnique()
            yield &storage.fields.followsRedirects
        }
    }
    /// A Boolean value that indicates whether the transport adds cookies of its user. Default: `false`.
    package var takesStoredCookies: Bool {
        _read { yield storage.fields.takesStoredCookies }
        _modify {
            makeUnique()
            yield &storage.fields.takesStoredCookies
        }
    }
    /// The place among transfers of equal priority, whenever they come to the transport: the lowest starts first; `nil`: after
    /// those that have come before. No part of what is equal.
    package var place: UInt64? {
        get { storage.place }
        set {
            makeUnique()
            storage.place = newValue
        }
    }
    /// The earlier requests, if redirects led to this one; `nil` for the first of a transfer.
    package var trail: RedirectTrail? {
        _read { yield storage.fields.trail }
        _modify {
            makeUnique()
            yield &storage.fields.trail
        }
    }

    /// Creates a GET request with a default for everything else.
    public init(
        url: URL,
        method: HTTPRequest.Method = .get,
        headers: HTTPFields = [:],
        body: Data? = nil,
        priority: LoadPriority = .normal,
        timeouts: TransferTimeouts = .standard,
        limits: TransferLimits = .standard
    ) {
        storage = Storage(
            Fields(
                url: url,
                method: method,
                headers: headers,
                body: body,
                priority: priority,
                timeouts: timeouts,
                limits: limits
            )
        )
    }

    private mutating func makeUnique() {
        if !isKnownUniquelyReferenced(&storage) { storage = Storage(storage.fields, place: storage.place) }
    }

    private struct Fields: Sendable, Hashable {
        var url: URL
        var method: HTTPRequest.Method
        var headers: HTTPFields
        var body: Data?
        var priority: LoadPriority
        var timeouts: TransferTimeouts
        var limits: TransferLimits
        var credential: Credential?
        var proxyCredential: Credential?
        var followsRedirects: Bool = true
        var takesStoredCookies: Bool = false
        var trail: RedirectTrail?
    }

    /// The fields, shared by copies until one of them is changed: every step of a load passes its request on, which as a
    /// value had 230 bytes and ten references.
    ///
    /// Unchecked: the fields are changed only while no other request shares them, which is also why they are not checked
    /// for exclusive access.
    private final class Storage: @unchecked Sendable {
        @exclusivity(unchecked)
        var fields: Fields
        @exclusivity(unchecked)
        var place: UInt64?

        init(_ fields: Fields, place: UInt64? = nil) {
            self.fields = fields
            self.place = place
        }
    }
}

extension TransferRequest: Hashable {
    /// Returns whether all properties are equal.
    public static func == (left: TransferRequest, right: TransferRequest) -> Bool {
        left.storage === right.storage || left.storage.fields == right.storage.fields
    }

    /// Hashes all properties.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(storage.fields)
    }
}

/// The times that parts of a transfer may take.
public struct TransferTimeouts: Sendable, Hashable {
    /// The time until there is a connection to send the request on: name look-up, TLS, and the wait for a connection
    /// that another transfer is opening to the same server and that this one may share. Default: 15 s.
    public var connect: Duration
    /// The time without a single byte arriving. Default: 15 s.
    public var idle: Duration
    /// The time of the whole transfer. Default: 5 minutes.
    public var total: Duration

    /// The defaults.
    public static let standard = TransferTimeouts()

    /// Creates timeouts with a default for each.
    public init(connect: Duration = .seconds(15), idle: Duration = .seconds(15), total: Duration = .seconds(300)) {
        self.connect = connect
        self.idle = idle
        self.total = total
    }
}

/// The amounts that a server may send.
public struct TransferLimits: Sendable, Hashable {
    /// The bytes of the body, after its content coding is undone. Default: 200 MiB.
    public var bodyBytes: Int
    /// The bytes of all response headers together. Default: 256 KiB.
    public var headerBytes: Int
    /// The number of redirects followed. Default: 20, as browsers have it (WHATWG Fetch, "HTTP-redirect fetch").
    public var redirects: Int

    /// The defaults.
    public static let standard = TransferLimits()

    /// Creates limits with a default for each.
    public init(bodyBytes: Int = 200 << 20, headerBytes: Int = 256 << 10, redirects: Int = 20) {
        self.bodyBytes = bodyBytes
        self.headerBytes = headerBytes
        self.redirects = redirects
    }
}
