package import FoundationEssentials

/// The decision whether a stored response may answer a request (RFC 9111, section 4; RFC 5861; RFC 8246).
package enum ReuseDecision: Sendable, Hashable {
    /// It answers at once.
    case fresh
    /// It answers at once, although it is stale: the request accepts that.
    case stale
    /// It answers at once, while it is refreshed in the background.
    case staleWhileRevalidating
    /// It answers after its server has confirmed that it is still valid.
    case afterValidation

    package init(
        of stored: StoredResponse,
        for request: CacheControl,
        policy: HTTPCachePolicy,
        at now: Date,
        rules: HTTPCacheRules
    ) {
        let response = stored.cacheControl
        let freshness = stored.freshness(at: now, rules: rules)
        if rules.ignoresServer {
            self = policy.lookup == .reload ? .afterValidation : .fresh
            return
        }
        let mustAsk = response.forbidsReuse && rules.lifetimeOverride == nil
        if mustAsk || request.noCache || policy.lookup == .reload {
            self = .afterValidation
        } else if policy.lookup == .revalidate {
            // A reload of a page need not validate a response that never changes while it is fresh.
            self = response.isImmutable && freshness.isFresh ? .fresh : .afterValidation
        } else if Self.isTooOld(freshness, for: request) {
            self = .afterValidation
        } else if freshness.isFresh {
            self = .fresh
        } else if response.mustRevalidate {
            self = .afterValidation
        } else if policy.lookup == .offline || Self.covers(request.maxStale, freshness.staleness) {
            self = .stale
        } else if Self.covers(response.staleWhileRevalidate, freshness.staleness), !freshness.isRedirectStale,
            request.maxAge == .absent, request.minFresh == .absent
        {
            self = .staleWhileRevalidating
        } else {
            self = .afterValidation
        }
    }

    /// Returns whether the response is older than the request accepts. By section 5.2.1, an argument that is no number
    /// is the most demanding one.
    private static func isTooOld(_ freshness: Freshness, for request: CacheControl) -> Bool {
        switch request.maxAge {
        case .absent: break
        case .invalid: return true
        case .value(let seconds): if freshness.age > Double(seconds) { return true }
        }
        switch request.minFresh {
        case .absent: return false
        case .invalid: return true
        case .value(let seconds): return freshness.lifetime - freshness.age < Double(seconds)
        }
    }

    private static func covers(_ window: CacheControl.Seconds, _ staleness: Double) -> Bool {
        guard let seconds = window.value else { return false }
        // The largest number stands for "however long".
        return seconds == DeltaSeconds.maximum || staleness <= Double(seconds)
    }

    /// The reasons for which a server gives no useful answer.
    package enum Failure: Sendable, Hashable {
        /// The server cannot be reached.
        case disconnected
        /// The server answers that it has a problem: 500, 502, 503 or 504.
        case serverFailure
    }

    /// Returns whether a stale response may be used instead of a failure (RFC 9111, section 4.2.4; RFC 5861, section
    /// 4).
    package static func isAllowed(
        _ stored: StoredResponse,
        insteadOf failure: Failure,
        for request: CacheControl,
        policy: HTTPCachePolicy,
        at now: Date,
        rules: HTTPCacheRules
    ) -> Bool {
        let response = stored.cacheControl
        guard !response.forbidsStaleUse, !request.noCache else { return false }
        switch policy.staleIfError {
        case .never: return false
        case .always: return true
        case .asAllowed: break
        }
        let staleness = stored.freshness(at: now, rules: rules).staleness
        if covers(response.staleIfError, staleness) || covers(request.staleIfError, staleness) { return true }
        // A server that names a time means that time, for a lost connection as well.
        return failure == .disconnected && response.staleIfError == .absent
    }
}
