public import FoundationEssentials
public import HalcyonHTTP

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
