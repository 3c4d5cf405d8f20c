public import HTTPTypes
public import HalcyonHTTP

/// The use of the network, for one request or for all requests of a downloader
/// (``ImageDownloader/Configuration/policy``).
///
/// If both set a value, that of the request counts for headers, timeouts, limits and filters; hooks run one after the
/// other, the downloader's first.
public struct NetworkPolicy: Sendable, Hashable {
    /// A Boolean value that indicates whether a pipeline may use the network; if not, an image that no cache has fails
    /// with ``ImageError/Reason/notCached``. A request that reads no cache uses it all the same, as nothing else could
    /// answer: ``CachePolicy/Reads/none``. Default: `true`.
    public var isAllowed = true
    /// The time that parts of the transfer may take; `nil`: that of the source's request (15 s until connected, 15 s
    /// without a byte, 5 minutes in all). Default: `nil`.
    public var timeouts: TransferTimeouts?
    /// The amount that a server may send; `nil`: that of the source's request (200 MiB, 10 redirects). Default: `nil`.
    public var limits: TransferLimits?
    /// The downloader of the request; `nil`: that of the pipeline. Its policy takes the place of that of the pipeline's
    /// downloader. A downloader's own policy has none. Default: `nil`.
    ///
    /// Work on originals is shared only with requests of the same downloader. It is no part of the key of an image in
    /// caches: requests find what another downloader loaded. The hooks of its policy count as those of the request.
    public var downloader: ImageDownloader?

    private var box: TransferRules.Box?

    /// The defaults.
    public init() {}

    /// Copied whole: what reads a part of them takes that from the box.
    var rules: TransferRules {
        get { box?.rules ?? TransferRules() }
        set { box = newValue == TransferRules() ? nil : TransferRules.Box(newValue) }
    }

    var handling: TransferHandling { box?.rules.handling ?? .none }

    /// A Boolean value that indicates whether the key of an image, its scope, or whether it is cached may depend on
    /// this policy.
    @inline(__always)
    var mayChangeIdentity: Bool { downloader != nil || box?.mayChangeIdentity ?? false }

    /// The ``HTTPTransport/cacheScope`` of the transport of the downloader that has this policy. Set by downloaders.
    var transportScope: String? {
        get { box?.rules.transportScope }
        set { if newValue != transportScope { rules.transportScope = newValue } }
    }

    /// The policy that adds to all requests of the downloader in use: the request's own, or else one with this policy.
    func additions(or others: NetworkPolicy) -> NetworkPolicy { downloader?.configuration.policy ?? others }

    /// A Boolean value that indicates whether any value for transfers differs from the defaults.
    var changesTransfers: Bool { box != nil || timeouts != nil || limits != nil }
}

extension NetworkPolicy {
    /// The headers to send with the request; each replaces those of the same name in the request itself. A downloader's
    /// are added where the request has none of that name, and are sent to every server: they must not hold secrets.
    /// ``TransferRequest/headers`` lists the headers that a redirect to another origin keeps. Default: none.
    public var headers: HTTPFields {
        get { box?.rules.headers ?? [:] }
        set { rules.headers = newValue }
    }

    /// The method to use instead of the request's; a downloader's replaces GET only. Default: `nil`.
    public var method: HTTPRequest.Method? {
        get { box?.rules.method }
        set { rules.method = newValue }
    }

    /// The hooks that change the transfer. Default: `nil`.
    public var hooks: (any DownloadHooks)? {
        get { box?.rules.handling.hooks?.body }
        set { rules.handling.hooks = newValue.map { Hook($0, identity: $0) } }
    }

    /// The statuses that are no errors; `nil`: 200..<400. A response 304 to a request without `If-None-Match` or
    /// `If-Modified-Since` is an error in any case. Default: `nil`.
    public var acceptedStatusCodes: Range<Int>? {
        get { box?.rules.handling.acceptedStatusCodes }
        set { rules.handling.acceptedStatusCodes = newValue }
    }

    /// The content types that are no errors, such as "image/png" or "image/*"; a response without one is an error
    /// unless "*/*" is among them. `nil`: all, and none. Default: `nil`.
    public var acceptedContentTypes: Set<String>? {
        get { box?.rules.handling.acceptedContentTypes }
        set { rules.handling.acceptedContentTypes = newValue }
    }

    /// Returns a request with the values of this policy and that of its downloader. Hooks run later.
    func applied(to request: TransferRequest, over defaults: NetworkPolicy) -> TransferRequest {
        guard changesTransfers || defaults.changesTransfers else { return request }
        var request = request
        if let timeouts = timeouts ?? (request.timeouts == .standard ? defaults.timeouts : nil) {
            request.timeouts = timeouts
        }
        if let limits = limits ?? (request.limits == .standard ? defaults.limits : nil) {
            request.limits = limits
        }
        if let method = method ?? (request.method == .get ? defaults.method : nil) {
            request.method = method
        }
        for name in Set(headers.map(\.name)) {
            request.headers[fields: name] = headers[fields: name]
        }
        for name in Set(defaults.headers.map(\.name)) where !request.headers.contains(name) {
            request.headers[fields: name] = defaults.headers[fields: name]
        }
        return request
    }
}
