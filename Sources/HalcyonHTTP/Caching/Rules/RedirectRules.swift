package import FoundationEssentials
internal import HTTPTypes

/// What the redirects of a chain say about using the response that they led to again, for the URL of the first request: it
/// may be used where all of them might be (RFC 9111, sections 3, 4.1 and 4.2).
package struct RedirectRules: Sendable, Hashable {
    /// The whole seconds, from when the first request was sent, for which all redirects are fresh; `nil` if each of them
    /// leaves that to the cache (RFC 9110, section 15.1).
    package var lifetime: Int?
    /// A Boolean value that indicates whether one of them must not be used again without asking.
    package var mustBeAsked = false
    /// A Boolean value that indicates whether one of them must not be used once it is stale.
    package var mustRevalidate = false
    /// The values of their `Vary`.
    package var vary: [String] = []

    /// Creates rules that demand nothing.
    package init() {}

    /// Creates the rules of a chain that ends with `redirect` so far.
    package init(_ redirect: TransferResponse, after earlier: RedirectRules? = nil, now: Date = Date()) {
        let headers = redirect.headers
        let control = CacheControl(headers)
        let own = Self.lifetime(headers, control, status: redirect.status, now: now)
        lifetime = earlier.map { Self.shorter($0.lifetime, own) } ?? own
        mustBeAsked = earlier?.mustBeAsked ?? false || control.noStore || control.noCache
        mustRevalidate = earlier?.mustRevalidate ?? false || control.mustRevalidate
        vary = (earlier?.vary ?? []) + headers[values: .vary]
    }

    private static func lifetime(
        _ headers: HTTPFields,
        _ control: CacheControl,
        status: Int,
        now: Date
    ) -> Int? {
        if let stated = control.explicitLifetime(headers, responseTime: now) {
            let age = max(now.timeIntervalSince(headers.date(responseTime: now)), headers.age)
            return Int(min(max(0, stated - max(0, age)), Double(DeltaSeconds.maximum)))
        }
        return HTTPStatus.isHeuristicallyCacheable(status) || control.isPublic ? nil : 0
    }

    /// Returns the shorter of two lifetimes. Beside one that is stated, the other is the longest that is guessed.
    private static func shorter(_ left: Int?, _ right: Int?) -> Int? {
        if left == nil, right == nil { return nil }
        let guess = Int(StoredResponse.heuristicLimit)
        return min(left ?? guess, right ?? guess)
    }
}

extension HTTPFields {
    /// Adds what the redirects that led to a response demand of its use.
    mutating func add(_ redirects: RedirectRules?) {
        guard let redirects else { return }
        let known = self[values: .vary]
        for value in redirects.vary where !known.contains(value) {
            append(HTTPField(name: .vary, value: value))
        }
        let control = CacheControl(self)
        if redirects.mustBeAsked, !control.noCache { append(HTTPField(name: .cacheControl, value: "no-cache")) }
        if redirects.mustRevalidate, !control.mustRevalidate {
            append(HTTPField(name: .cacheControl, value: "must-revalidate"))
        }
    }
}
