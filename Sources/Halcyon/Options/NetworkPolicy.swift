public import HTTPTypes
public import HalcyonHTTP

/// Whether and how the network is used: for one request, or for all of a downloader
/// (``ImageDownloader/Configuration/policy``).
///
/// Where both say something, the request's headers, timeouts, limits, filters, redirect handler and responder count,
/// and modifiers and reviewers come one after the other, the downloader's first.
public struct NetworkPolicy: Sendable, Hashable {
    /// Whether a pipeline may use it at all; if not, what no cache has fails with ``ImageError/Reason/notCached``.
    /// Default: `true`.
    public var isAllowed = true
    /// How long parts of the transfer may take; `nil`: as the source's request says (15 s until connected, 15 s
    /// without a byte, 5 minutes in all).
    public var timeouts: TransferTimeouts?
    /// How much a server may send; `nil`: as the source's request says (200 MiB, 10 redirects).
    public var limits: TransferLimits?

    private var box: TransferRules.Box?

    /// The defaults.
    public init() {}

    var rules: TransferRules {
        get { box?.rules ?? TransferRules() }
        set { box = newValue == TransferRules() ? nil : TransferRules.Box(newValue) }
    }

    var handling: TransferHandling { box?.rules.handling ?? .none }

    /// Whether whose image it is, which, or whether it is cached, may depend on this, as a part of the options.
    @inline(__always)
    var mayChangeIdentity: Bool { box?.mayChangeIdentity ?? false }

    /// The same as a part of a downloader, whose responder and data modifier are taken to be the same for all.
    var mayChangeAudience: Bool { box?.mayChangeAudience ?? false }

    /// Whether anything here but ``isAllowed`` differs from the defaults.
    var changesTransfers: Bool { box != nil || timeouts != nil || limits != nil }
}

extension NetworkPolicy {
    /// Sent with the request; each replaces what the request itself has of that name. A downloader's are added where
    /// the request has none of that name, and go to every server that is asked: nothing secret belongs there. What a
    /// redirect to another origin takes along, ``TransferRequest/headers`` says. Default: none.
    public var headers: HTTPFields {
        get { rules.headers }
        set { rules.headers = newValue }
    }

    /// Instead of the request's method; a downloader's replaces GET only. Default: `nil`.
    public var method: HTTPRequest.Method? {
        get { rules.method }
        set { rules.method = newValue }
    }

    /// Changes the request before it is sent, or rejects it. Default: `nil`.
    public var requestModifier: (any RequestModifying)? {
        get { rules.requestModifier?.body }
        set { rules.requestModifier = newValue.map { Hook($0, identity: $0) } }
    }

    /// Decides where redirects lead; `nil`: followed as HTTP says, if the request follows them at all. Default: `nil`.
    public var redirectHandler: (any RedirectHandling)? {
        get { rules.handling.redirectHandler?.body }
        set { rules.handling.redirectHandler = newValue.map { Hook($0, identity: $0) } }
    }

    /// Supplies credentials when a server asks. Default: `nil`.
    public var authenticationResponder: (any AuthenticationResponding)? {
        get { rules.handling.authenticationResponder?.body }
        set { rules.handling.authenticationResponder = newValue.map { Hook($0, identity: $0) } }
    }

    /// Changes the head of the final response before it is checked. Default: `nil`.
    public var responseModifier: (any ResponseModifying)? {
        get { rules.handling.responseModifier?.body }
        set { rules.handling.responseModifier = newValue.map { Hook($0, identity: $0) } }
    }

    /// Statuses that are no errors; `nil`: 200..<400. An answer 304 to a request without `If-None-Match` or
    /// `If-Modified-Since` is an error in any case. Default: `nil`.
    public var acceptedStatusCodes: Range<Int>? {
        get { rules.handling.acceptedStatusCodes }
        set { rules.handling.acceptedStatusCodes = newValue }
    }

    /// Content types that are no errors, such as "image/png" or "image/*"; a response without one is an error unless
    /// "*/*" is among them. `nil`: all, and none. Default: `nil`.
    public var acceptedContentTypes: Set<String>? {
        get { rules.handling.acceptedContentTypes }
        set { rules.handling.acceptedContentTypes = newValue }
    }

    /// Looks at the head of the response before the body is taken, and may refuse it. Default: `nil`.
    public var responseReviewer: (any ResponseReviewing)? {
        get { rules.handling.responseReviewer?.body }
        set { rules.handling.responseReviewer = newValue.map { Hook($0, identity: $0) } }
    }

    /// Changes the body once it is complete. Default: `nil`.
    public var dataModifier: (any DataModifying)? {
        get { rules.handling.dataModifier?.body }
        set { rules.handling.dataModifier = newValue.map { Hook($0, identity: $0) } }
    }

    /// The request as this policy and that of its downloader want it. Modifiers come later.
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
