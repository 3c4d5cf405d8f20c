package import FoundationEssentials

/// The response to a request through a cache.
package struct HTTPCacheResponse: Sendable {
    /// The sources of a response.
    package enum Source: Sendable, Hashable {
        /// The response was stored and fresh; its server was not asked.
        case stored
        /// The response was stored and stale, and the request accepted that; its server was not asked.
        case stale
        /// The response was stored and stale; the caller refreshes it in the background (`stale-while-revalidate`).
        case staleWhileRevalidating
        /// The response was stored and stale, because the server could not be reached or has a problem.
        case staleBecauseOfFailure
        /// The response was stored, and confirmed by the server.
        case validated
        /// The response came from the server.
        case network
        /// There is no response: it is not stored and the request forbids the network; status 504.
        case unavailable
    }

    /// The head. A response from the store has an `Age` (RFC 9111, section 5.1).
    package var response: TransferResponse
    /// The body; empty for 204 and 304.
    package var data: Data
    /// The source of the response.
    package var source: Source
    /// The metrics of the transfer; `nil` if there was none or it failed.
    package var metrics: TransferMetrics?
    /// The stored form of the response; `nil` if it is not stored now.
    package var stored: StoredResponse?
}
