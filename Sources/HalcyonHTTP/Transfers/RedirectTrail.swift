/// What the requests of a transfer before this one were, as far as it decides who may be told a credential.
///
/// Redirects are followed by a transport, or above it by one who asks the transport for each request. It goes along with
/// the request, so that the same holds in both cases: a credential is for the origin, or the proxy, that it was given for.
///
/// A class, which takes no more than a pointer in each request: few are redirected.
package final class RedirectTrail: Sendable, Hashable {
    /// Whether any request before was encrypted. What a transport has for a host is then sent encrypted only.
    package let wasSecure: Bool
    /// The origin whose proxy the request's proxy credential was given for; `nil` without such a credential.
    package let proxyCredentialOrigin: Origin?

    package init(wasSecure: Bool, proxyCredentialOrigin: Origin?) {
        self.wasSecure = wasSecure
        self.proxyCredentialOrigin = proxyCredentialOrigin
    }

    /// The trail of a request that follows `request`.
    init(after request: TransferRequest, from origin: Origin?) {
        wasSecure = origin?.isSecure ?? false || request.trail?.wasSecure ?? false
        proxyCredentialOrigin =
            request.proxyCredential == nil ? nil : request.trail?.proxyCredentialOrigin ?? origin
    }

    package static func == (left: RedirectTrail, right: RedirectTrail) -> Bool {
        left.wasSecure == right.wasSecure && left.proxyCredentialOrigin == right.proxyCredentialOrigin
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(wasSecure)
        hasher.combine(proxyCredentialOrigin)
    }
}

extension TransferRequest {
    /// Gives the request a credential for the proxy that serves its own URL, wherever an earlier one was for.
    package mutating func setProxyCredential(_ credential: Credential?) {
        proxyCredential = credential
        guard let trail else { return }
        self.trail = RedirectTrail(
            wasSecure: trail.wasSecure,
            proxyCredentialOrigin: credential == nil ? nil : Origin(url.absoluteString)
        )
    }

    /// Makes this, which was chosen instead of `proposed`, the request that a transfer goes on with: what `proposed` brought
    /// along for one origin, or for one proxy, does not go to another.
    package mutating func take(theWayOf proposed: TransferRequest) {
        let own = proxyCredential
        trail = proposed.trail
        if own != proposed.proxyCredential { setProxyCredential(own) }
        guard Origin(url.absoluteString) != Origin(proposed.url.absoluteString) else { return }
        if credential == proposed.credential { credential = nil }
        headers = Redirection.fields(headers, without: proposed.headers)
    }
}
