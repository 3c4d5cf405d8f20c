public import FoundationEssentials
public import HalcyonHTTP

/// A type that supplies credentials when a server (status 401) or a proxy (407) asks for them.
///
/// Concurrent transfers to one origin call it once and share the credential. A credential that a server has accepted is
/// sent with later requests for the same folder of its paths, or one below, before the server asks for it (RFC 7617,
/// section 2.2), and for other folders of the same realm when it does, until the server rejects it.
///
/// Credentials are kept for a responder that is an object, or an ``AuthenticationResponder``, for as long as the program
/// keeps that one; a downloader does not keep it alive beyond its transfers. Values are kept with their credentials, at
/// most 512 of them, as an equal one may be made for each request.
///
/// A response to a credential of a responder in the options is cached only with a named scope, that of the options
/// (``CachePolicy/scope``) or ``cacheScope``, as is that of a responder of a downloader that the options name. The
/// responder of a pipeline's downloader is taken to be the same for all.
///
/// Equal responders are taken to answer for the same user, as long as the same scope is named, if any. A responder that
/// answers for several users one after the other has to be unequal for each, or name a scope for each.
///
/// Nothing outlives the process. A responder of the program's own may read credentials from where the program keeps them for
/// later processes, such as the keyring of the desktop, and ask for one when that was rejected
/// (``AuthenticationDemand/rejected``).
public protocol AuthenticationResponding: Hashable, Sendable {
    /// Returns the credential to try; `nil` or an error lets the server's refusal stand,
    /// ``ImageError/Reason/status(_:)``.
    func credential(for demand: AuthenticationDemand) async throws -> Credential?

    /// The name of the user it answers for, such as "user-42"; `nil` for none.
    ///
    /// Neither images nor credentials of one scope are used for another. ``CachePolicy/scope`` and the scope of a
    /// request modifier take precedence over this. Read with each load. Default: `nil`.
    var cacheScope: String? { get }
}

extension AuthenticationResponding {
    /// No name, the default.
    public var cacheScope: String? { nil }
}

/// The demand of a server or a proxy for a credential.
public struct AuthenticationDemand: Sendable, Hashable {
    /// The requested URL; after a redirect, the URL that it led to.
    public var url: URL
    /// A Boolean value that indicates whether the demand comes from a proxy; the credential is sent to that proxy only.
    /// Default: `false`.
    public var isProxy: Bool
    /// The accepted kinds of authentication; empty where the server does not name them.
    public var challenges: [AuthenticationChallenge]
    /// The number of refusals of this transfer so far, this one included. Default: 1.
    public var attempt: Int
    /// The credential that was just rejected. Default: `nil`.
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

    /// The name of the user it answers for; see ``AuthenticationResponding/cacheScope``.
    public let cacheScope: String?

    /// A responder with a closure; see ``AuthenticationResponding/credential(for:)``.
    ///
    /// - Parameters:
    ///   - cacheScope: The scope of the responses to its credentials. Default: `nil`.
    ///   - closure: Gets a demand, and returns the credential to try.
    public init(
        cacheScope: String? = nil,
        _ closure: @escaping @Sendable (AuthenticationDemand) async throws -> Credential?
    ) {
        self.cacheScope = cacheScope
        self.closure = IdentifiedClosure(closure)
    }

    /// Returns the result of the closure.
    public func credential(for demand: AuthenticationDemand) async throws -> Credential? {
        try await closure.function(demand)
    }
}

extension AuthenticationResponder: ClosureHook {
    var identifiedClosure: AnyObject { closure }
}
