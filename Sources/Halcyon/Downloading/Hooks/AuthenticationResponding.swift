public import FoundationEssentials
public import HalcyonHTTP

/// Supplies credentials when a server (status 401) or a proxy (407) asks for them.
///
/// Transfers to one origin that are asked at the same time ask once and share the answer. What a server has accepted is
/// sent with later requests for the same folder of its paths, or one below, before it asks (RFC 7617, section 2.2), and
/// answers what other folders of the same realm ask for, until the server rejects it.
///
/// What a server gives for a credential of a responder in the options is cached only with a named scope, that of the options
/// (``CachePolicy/scope``) or ``cacheScope``; a downloader's responder is taken to be the same for all.
///
/// Equal responders are taken to answer for the same user, as long as the same scope is named, if any. A responder that answers
/// for several users one after the other has to be unequal for each, or name a scope for each.
public protocol AuthenticationResponding: Hashable, Sendable {
    /// The credential to try; `nil` leaves the server's refusal as it is, ``ImageError/Reason/status(_:)``.
    func credential(for demand: AuthenticationDemand) async throws -> Credential?

    /// Names for whom it answers, such as "user-42"; `nil` for none.
    ///
    /// Neither images nor credentials of one scope are used for another. ``CachePolicy/scope`` and the scope of a request
    /// modifier go before this. Asked with each load. Default: `nil`.
    var cacheScope: String? { get }
}

extension AuthenticationResponding {
    /// None.
    public var cacheScope: String? { nil }
}

/// What a server or a proxy wants to see before it answers.
public struct AuthenticationDemand: Sendable, Hashable {
    /// What was asked for; after a redirect, the URL that it led to.
    public var url: URL
    /// Whether the proxy on the way asks; the credential is sent to nobody else. Default: `false`.
    public var isProxy: Bool
    /// What would be taken; empty where the server does not say.
    public var challenges: [AuthenticationChallenge]
    /// How often this transfer has been turned away, this time included.
    public var attempt: Int
    /// What was tried just now, in vain.
    public var rejected: Credential?

    /// A demand.
    public init(
        url: URL,
        isProxy: Bool = false,
        challenges: [AuthenticationChallenge],
        attempt: Int = 1,
        rejected: Credential? = nil
    ) {
        self.url = url
        self.isProxy = isProxy
        self.challenges = challenges
        self.attempt = attempt
        self.rejected = rejected
    }
}

/// A closure that supplies credentials. It is equal to its copies only, so keep one where equal requests are to share
/// work.
public struct AuthenticationResponder: AuthenticationResponding {
    private let closure: IdentifiedClosure<@Sendable (AuthenticationDemand) async throws -> Credential?>

    /// See ``AuthenticationResponding/cacheScope``.
    public let cacheScope: String?

    /// Supplies credentials by a closure; see ``AuthenticationResponding/credential(for:)``.
    ///
    /// - Parameters:
    ///   - cacheScope: The scope of what its credentials bring. Default: `nil`.
    ///   - closure: Gets a demand, and returns the credential to try.
    public init(
        cacheScope: String? = nil,
        _ closure: @escaping @Sendable (AuthenticationDemand) async throws -> Credential?
    ) {
        self.cacheScope = cacheScope
        self.closure = IdentifiedClosure(closure)
    }

    /// What the closure answers.
    public func credential(for demand: AuthenticationDemand) async throws -> Credential? {
        try await closure.function(demand)
    }
}
