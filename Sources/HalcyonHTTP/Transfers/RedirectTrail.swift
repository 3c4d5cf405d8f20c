/// The facts about the earlier requests of a transfer that decide which server or proxy may get a credential.
///
/// Redirects are followed by a transport, or above it by a caller that starts a transfer for each request. The trail
/// goes along with the request, so that the same holds in both cases: a credential is for the origin, or the proxy, for
/// which it was given.
///
/// A class, which takes no more than a pointer in each request: few are redirected.
package final class RedirectTrail: Sendable, Hashable {
    /// A Boolean value that indicates whether any request before was encrypted. The transport's credentials for a host
    /// are then sent encrypted only.
    package let wasSecure: Bool
    /// The origin for whose proxy the request's proxy credential was given; `nil` without such a credential.
    package let proxyCredentialOrigin: Origin?

    /// The cookies that the redirects have set, as lines of a Netscape cookie file with a byte 0 at the end. They last
    /// for the chain, and are kept nowhere.
    let cookies: [[CChar]]
    /// What the redirects say about using again what they lead to.
    let rules: RedirectRules

    init(wasSecure: Bool, proxyCredentialOrigin: Origin?, cookies: [[CChar]], rules: RedirectRules) {
        self.wasSecure = wasSecure
        self.proxyCredentialOrigin = proxyCredentialOrigin
        self.cookies = cookies
        self.rules = rules
    }

    /// Creates the trail of a request that follows `request`.
    init(after request: TransferRequest, from origin: Origin?, cookies: [[CChar]], rules: RedirectRules) {
        wasSecure = origin?.isSecure ?? false || request.trail?.wasSecure ?? false
        proxyCredentialOrigin =
            request.proxyCredential == nil ? nil : request.trail?.proxyCredentialOrigin ?? origin
        self.cookies = cookies
        self.rules = rules
    }

    package static func == (left: RedirectTrail, right: RedirectTrail) -> Bool {
        left.wasSecure == right.wasSecure && left.proxyCredentialOrigin == right.proxyCredentialOrigin
            && left.cookies == right.cookies && left.rules == right.rules
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(wasSecure)
        hasher.combine(proxyCredentialOrigin)
    }
}

extension TransferRequest {
    /// Sets a credential for the proxy that serves the request's own URL, whatever proxy an earlier one was for.
    package mutating func setProxyCredential(_ credential: Credential?) {
        proxyCredential = credential
        guard let trail else { return }
        self.trail = RedirectTrail(
            wasSecure: trail.wasSecure,
            proxyCredentialOrigin: credential == nil ? nil : Origin(url.absoluteString),
            cookies: trail.cookies,
            rules: trail.rules
        )
    }

    /// Copies the redirects that led to `proposed` to this request, which was chosen in its place: the credentials of
    /// `proposed` for one origin, or for one proxy, do not go to another.
    package mutating func copyRoute(of proposed: TransferRequest) {
        let own = proxyCredential
        trail = proposed.trail
        if own != proposed.proxyCredential { setProxyCredential(own) }
        guard Origin(url.absoluteString) != Origin(proposed.url.absoluteString) else { return }
        if credential == proposed.credential { credential = nil }
        headers = Redirection.fields(headers, without: proposed.headers)
    }
}
