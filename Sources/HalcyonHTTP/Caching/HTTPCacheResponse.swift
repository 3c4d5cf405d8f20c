public import FoundationEssentials

/// What an ``HTTPCache`` answers.
public struct HTTPCacheResponse: Sendable {
    /// How the answer came about.
    public enum Source: Sendable, Hashable {
        /// Stored and fresh; nobody was asked.
        case stored
        /// Stored and stale, and wanted even so; nobody was asked.
        case stale
        /// Stored and stale; it is refreshed behind (`stale-while-revalidate`).
        case staleWhileRevalidating
        /// Stored and stale, because the server could not be reached or has a problem.
        case staleBecauseOfFailure
        /// Stored, and confirmed by the server.
        case validated
        /// From the server.
        case network
        /// From nowhere: it is not stored and the request forbids the network; status 504.
        case unavailable
    }

    /// The head. What comes from the store has an `Age` (RFC 9111, section 5.1).
    public var response: TransferResponse
    /// The body; empty for HEAD, 204 and 304.
    public var data: Data
    /// How the answer came about.
    public var source: Source
    /// What the transfer took; `nil` if there was none or it failed.
    public var metrics: TransferMetrics?
    /// What is stored of the response now; `nil` if it is not.
    package var stored: StoredResponse?
}
