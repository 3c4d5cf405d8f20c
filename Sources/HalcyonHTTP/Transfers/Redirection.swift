internal import FoundationEssentials
internal import HTTPTypes

/// The step from a request and the head of its response to the next request (RFC 9110, section 15.4).
///
/// The rules are the Fetch standard's where the RFC leaves a choice: 301 and 302 turn POST into GET, as every browser
/// does, 303 turns everything but GET and HEAD into GET, 307 and 308 keep method and body. Fields that may prove an
/// identity go no further than their origin, and are not restored if a later redirect leads back: credentials, and
/// every field but ``fieldsForAnyOrigin``. The transport's credentials for hosts and proxies are the transport's
/// concern, for which the request keeps a ``RedirectTrail``, with the cookies of the chain. 300, 304, 305 and 306 are
/// responses like others.
package struct Redirection: Sendable, Hashable {
    /// The next request.
    package private(set) var request: TransferRequest
    /// A Boolean value that indicates whether scheme, host or port change, so that credentials are dropped.
    package let leavesOrigin: Bool

    /// Creates the redirect that `response` to `request` is; `nil` if it is a plain response.
    ///
    /// - Parameter count: The number of redirects that were followed before.
    /// - Throws: ``TransferError/tooManyRedirects(maximum:)``, ``TransferError/redirectRefused(_:)`` for a scheme that
    ///   is neither `http` nor `https`, ``TransferError/malformedResponse(_:)`` for a target that is no URL.
    package init?(
        _ response: TransferResponse,
        to request: TransferRequest,
        after count: Int
    ) throws(TransferError) {
        guard Self.statuses.contains(response.status) else { return nil }
        let targets = response.headers[values: .location]
        guard let target = targets.first, !URL.withoutBlanks(target).isEmpty else { return nil }
        guard targets.allSatisfy({ $0 == target }) else {
            throw .malformedResponse("\(Self.server(request)): redirect to \(targets.count) places at once")
        }
        try self.init(
            to: target,
            status: response.status,
            from: request,
            after: count,
            cookies: response.chainCookies,
            rules: RedirectRules(response, after: request.trail?.rules)
        )
    }

    /// Creates the redirect to `target`, a URL or a reference to one.
    private init(
        to target: String,
        status: Int,
        from request: TransferRequest,
        after count: Int,
        cookies: [[CChar]],
        rules: RedirectRules
    ) throws(TransferError) {
        let maximum = max(0, request.limits.redirects)
        guard count < maximum else { throw .tooManyRedirects(maximum: maximum) }
        let (url, leavesOrigin) = try Self.resolve(target, from: request)
        var next = request
        next.url = url
        switch (status, request.method) {
        case (301, .post), (302, .post): next.becomeGet()
        case (303, let method) where method != .get && method != .head: next.becomeGet()
        default: break
        }
        if leavesOrigin {
            next.credential = nil
            next.headers = next.headers.filter { Self.isForAnyOrigin($0.name) }
        }
        next.trail = RedirectTrail(
            after: request,
            from: Origin(request.url.absoluteString),
            cookies: cookies,
            rules: rules
        )
        self.request = next
        self.leavesOrigin = leavesOrigin
    }

    /// The statuses of redirects that are followed, given a target.
    static let statuses: Set<Int> = [301, 302, 303, 307, 308]

    /// The fields that describe the wanted response and its form, never the client's identity. Any other may be a
    /// secret for one server: `Authorization`, `Cookie`, `X-Api-Key`, a signature. Browsers send none such to another
    /// origin without its consent either (Fetch standard, "CORS-safelisted request-header"); a `Host` would name the
    /// wrong one.
    static let fieldsForAnyOrigin: Set<String> = [
        "accept", "accept-charset", "accept-encoding", "accept-language", "cache-control", "dnt", "downlink", "dpr",
        "ect", "expect", "if-match", "if-modified-since", "if-none-match", "if-range", "if-unmodified-since",
        "last-event-id", "pragma", "prefer", "priority", "range", "referer", "rtt", "save-data", "te", "traceparent",
        "tracestate", "upgrade-insecure-requests", "user-agent", "viewport-width", "width",
    ]

    /// Returns the fields without those of `others` that may be meant for one origin only.
    static func fields(_ fields: HTTPFields, without others: HTTPFields) -> HTTPFields {
        fields.filter { field in
            isForAnyOrigin(field.name) || !others[values: field.name].contains(field.value)
        }
    }

    private static func isForAnyOrigin(_ name: HTTPField.Name) -> Bool {
        let name = name.canonicalName
        return fieldsForAnyOrigin.contains(name) || name.hasPrefix("content-") || name.hasPrefix("sec-")
    }

    private static func resolve(
        _ target: String,
        from request: TransferRequest
    ) throws(TransferError) -> (URL, leavesOrigin: Bool) {
        func malformed() -> TransferError {
            .malformedResponse("\(server(request)): redirect to “\(target)”, which is no URL")
        }
        guard let base = URLComponents(url: request.url, resolvingAgainstBaseURL: true),
            let resolved = URL(written: target, relativeTo: request.url),
            var components = URLComponents(url: resolved, resolvingAgainstBaseURL: true)
        else { throw malformed() }
        guard let scheme = components.scheme?.lowercased(), scheme == "http" || scheme == "https" else {
            throw .redirectRefused("\(server(request)): redirect to \(target), which is neither http nor https")
        }
        // A name and password in the redirect are the server's choice, not the user's.
        components.percentEncodedUser = nil
        components.percentEncodedPassword = nil
        if components.percentEncodedFragment == nil {
            components.percentEncodedFragment = base.percentEncodedFragment
        }
        guard let plain = components.url?.absoluteURL, let origin = Origin(plain.absoluteString) else {
            throw malformed()
        }
        guard origin == Origin(request.url.absoluteString) else { return (plain, true) }
        components.percentEncodedUser = base.percentEncodedUser
        components.percentEncodedPassword = base.percentEncodedPassword
        return (components.url?.absoluteURL ?? plain, false)
    }

    private static func server(_ request: TransferRequest) -> String {
        let url = request.url.absoluteString
        return Origin(url)?.description ?? url
    }
}

extension TransferRequest {
    /// Removes the body, and the fields that describe one.
    fileprivate mutating func becomeGet() {
        method = .get
        body = nil
        headers = headers.filter { field in
            let name = field.name.canonicalName
            return !name.hasPrefix("content-") && name != "transfer-encoding" && name != "expect" && name != "trailer"
        }
    }
}
