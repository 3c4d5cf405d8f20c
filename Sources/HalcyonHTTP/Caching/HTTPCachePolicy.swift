/// The use that one request makes of stored responses, besides what its own `Cache-Control` says.
package struct HTTPCachePolicy: Sendable, Hashable {
    /// The ways to use stored responses.
    package enum Lookup: Sendable, Hashable {
        /// Stored responses answer as the standard allows.
        case automatic
        /// Stored responses are validated first, even if they are fresh (but not an immutable one, RFC 8246).
        case revalidate
        /// Stored responses are ignored; the response is stored.
        case reload
        /// Stored responses answer, stale ones as well unless their server forbids it; the network is not used, and 504
        /// says that nothing was found.
        case offline
    }

    /// The use of stored responses. Default: ``Lookup/automatic``.
    package var lookup: Lookup
    /// The use of stale responses when the server fails. Default: ``StaleIfError/asAllowed``.
    package var staleIfError: StaleIfError

    /// Creates a policy with a default for each part.
    package init(lookup: Lookup = .automatic, staleIfError: StaleIfError = .asAllowed) {
        self.lookup = lookup
        self.staleIfError = staleIfError
    }
}

/// The cases in which a stale response answers when its server does not.
public enum StaleIfError: Sendable, Hashable {
    /// A stale response answers when the server cannot be reached, or within the time that `stale-if-error` names.
    case asAllowed
    /// It answers for server failures (500, 502, 503, 504) without `stale-if-error` too, unless it must be validated.
    case always
    /// A stale response never answers: the failure is the answer.
    case never
}
