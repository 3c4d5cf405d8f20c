/// How one request uses an ``HTTPCache``, besides what its own `Cache-Control` says.
public struct HTTPCachePolicy: Sendable, Hashable {
    /// What stored responses may do.
    public enum Lookup: Sendable, Hashable {
        /// They answer as the standard allows.
        case automatic
        /// They are validated first, even if they are fresh (but not an immutable one, RFC 8246).
        case revalidate
        /// They are ignored; the response is stored.
        case reload
        /// They are ignored, and nothing is stored or removed.
        case bypass
        /// They answer if they are fresh; the network is not used, and 504 says that nothing was found.
        case onlyIfCached
        /// The same, but stale ones answer as well, unless their server forbids it.
        case offline
    }

    /// Whether a stale response answers when the server does not.
    public enum StaleIfError: Sendable, Hashable {
        /// When it cannot be reached, or within the time that `stale-if-error` names.
        case asAllowed
        /// For server failures (500, 502, 503, 504) without `stale-if-error` too, unless the response must be validated.
        case always
        /// Never: the failure is the answer.
        case never
    }

    /// Default: ``Lookup/automatic``.
    public var lookup: Lookup
    /// Default: ``StaleIfError/asAllowed``.
    public var staleIfError: StaleIfError

    /// A policy with a default for each part.
    public init(lookup: Lookup = .automatic, staleIfError: StaleIfError = .asAllowed) {
        self.lookup = lookup
        self.staleIfError = staleIfError
    }
}
