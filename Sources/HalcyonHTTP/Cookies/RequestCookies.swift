internal import FoundationEssentials
internal import HTTPTypes

/// The cookies that a request has from a ``CookieStore``.
///
/// They are decided once, when the identity of a load is derived, and then sent as they are: a cookie that is set meanwhile
/// would make the response one for another identity.
///
/// A class, which takes no more than a pointer in each request: few have any.
package final class RequestCookies: Sendable, Hashable {
    package let store: CookieStore
    /// The field `Cookie` that the store had for the URL; `nil` for none.
    package let field: String?

    init(_ store: CookieStore, field: String?) {
        self.store = store
        self.field = field
    }

    package static func == (left: RequestCookies, right: RequestCookies) -> Bool {
        left === right
            || left.store == right.store && left.field.map { Array($0.utf8) } == right.field.map { Array($0.utf8) }
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(store)
        hasher.combine(field?.utf8.count)
    }
}

extension TransferRequest {
    /// Adds the cookies that a store has for the URL. A request with a field `Cookie` of its own sends that one only, and has
    /// nothing to do with a store; one whose cookies are decided keeps them.
    package mutating func takeCookies(of store: CookieStore?) {
        guard let store, cookies == nil, headers[.cookie] == nil else { return }
        let field = store.field(for: url)
        cookies = RequestCookies(store, field: field)
        headers[.cookie] = field
    }

    /// Removes the cookies that a store has added, or redirects, so that those for another URL, or a later moment, can be
    /// taken.
    package mutating func removeCookies() {
        guard cookies != nil || trail?.cookies != nil else { return }
        cookies = nil
        headers[.cookie] = nil
    }

    /// Brings the cookies into line with the request that hooks made of `original`: a field of theirs stays, and the
    /// cookies of a store follow the URL.
    package mutating func settleCookies(after original: TransferRequest, store: CookieStore?) {
        guard let store else { return }
        // Without cookies of the store, it had a field of its own.
        guard let earlier = original.cookies else { return cookies = nil }
        let isUntouched = headers[values: .cookie] == original.headers[values: .cookie]
        if isUntouched, url == original.url {
            cookies = earlier
        } else if isUntouched || cookies == nil && headers[.cookie] == nil {
            cookies = earlier
            removeCookies()
            takeCookies(of: store)
        } else {
            // The hook decided.
            cookies = nil
        }
    }

    /// Takes the cookies that a response to this request sets, unless it has a field `Cookie` of its own, or the response is
    /// that of a proxy.
    package func receiveCookies(_ response: TransferResponse) {
        guard let store = cookies?.store, response.status != 407 else { return }
        store.receive(response.headers, from: url)
    }
}

/// The cookies that servers set on the way through redirects: many set one, redirect to the same URL, and redirect again
/// until it comes back. They last for one chain of redirects, and are kept nowhere. Each goes back to the host that set it
/// alone, whatever domain it names: without a list of public suffixes, a host could set cookies for strangers' hosts.
///
/// A chain whose first request has a field `Cookie` of its own, or the cookies of a store, has none.
extension TransferRequest {
    /// Takes the cookies of the chain for this request, the next one.
    ///
    /// - Parameters:
    ///   - response: The redirect.
    ///   - earlier: The request before it.
    mutating func takeCookies(setBy response: TransferResponse, to earlier: TransferRequest) {
        let hasOwn = earlier.trail.map { $0.cookies == nil } ?? (earlier.headers[.cookie] != nil)
        guard !hasOwn, earlier.cookies == nil, let place = CookiePlace(earlier.url) else { return }
        var table = earlier.trail?.cookies ?? CookieTable(limits: CookieLimits())
        let isSuffix = CookieStore.Configuration().isSuffix
        let now = Date()
        for cookie in Cookie.cookies(response.headers, from: place, now: now, isPublicSuffix: isSuffix) {
            _ = table.receive(cookie.ofHost(place.host), from: place, at: now)
        }
        table.evict(at: now, isPublicSuffix: isSuffix)
        trail = trail?.with(table)
        headers[.cookie] = nil
        takeChainCookies()
    }

    /// Adds the cookies that the chain has for the URL, unless a hook has added a field of its own, which ends them.
    package mutating func takeChainCookies() {
        guard let table = trail?.cookies else { return }
        guard headers[.cookie] == nil else { return trail = trail?.with(nil) }
        headers[.cookie] = CookiePlace(url).flatMap { table.field(for: $0, at: Date()) }
    }

    /// Ends the cookies of the chain.
    mutating func removeChainCookies() {
        guard trail?.cookies != nil else { return }
        removeCookies()
        trail = trail?.with(nil)
    }
}
