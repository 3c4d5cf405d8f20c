internal import FoundationEssentials
package import HalcyonHTTP
internal import HalcyonStore

/// The time and the requests for which an original, and every image that was made of it, may be used.
///
/// It keeps the statements of the server, not the conclusions of one request: each request has rules of its own.
///
/// A class, so that one reference is counted where an image in memory is looked at.
final class OriginalValidity: Sendable {
    /// The head of the response, as far as reuse depends on it.
    let response: StoredResponse
    /// The date from which a request that follows the server has to ask it again.
    private let freshUntil: Date
    /// A Boolean value that indicates whether the server stated nothing about it, so that the default lifetime holds,
    /// after which the cache has it no longer.
    let isSilent: Bool
    /// A Boolean value that indicates whether the image is for some requests alone.
    let isVarying: Bool
    /// The number of bytes that this value takes in memory.
    let byteCount: Int

    /// Makes the validity that the head of a response states.
    init(_ head: StoredResponse) {
        response = head.forReuse
        byteCount = response.byteCount
        let freshness = head.freshness(at: head.responseTime, rules: .images)
        let mustAsk = head.cacheControl.noCache
        freshUntil = mustAsk ? .distantPast : head.freshUntil(rules: .images)
        isVarying = head.isVarying
        isSilent = !mustAsk && !freshness.isExplicit && freshness.isFresh && !head.isVarying
    }

    /// The date from which an image about which the server stated nothing has to be asked for again, however often it
    /// was used; `nil` for others.
    var silentEnd: Date? { isSilent ? freshUntil : nil }

    /// A Boolean value that indicates whether failures of the server make the stale image usable.
    var mayBeUsedStale: Bool {
        let control = response.cacheControl
        return !control.noCache && !control.mustRevalidate
    }

    /// Returns whether a request with this rule has to ask the server.
    func isOver(at now: Date, _ rule: FreshnessPolicy) -> Bool {
        switch rule {
        case .ignoringServer: false
        case .server: freshUntil <= now || now.isBefore(response.responseTime)
        case .expiration(let expiration): expiration.isOver(since: response.responseTime, at: now)
        }
    }

    /// Returns the date from which a request with this rule has to ask the server, if there is such a date and it does
    /// not come from a default.
    func statedEnd(_ rule: FreshnessPolicy) -> Date? {
        switch rule {
        case .ignoringServer:
            return nil
        case .server:
            return isSilent ? nil : freshUntil
        case .expiration(let expiration):
            let lifetime = expiration.interval(since: response.responseTime)
            return lifetime < .infinity ? response.responseTime.addingTimeInterval(lifetime) : nil
        }
    }
}

extension Expiration {
    /// Returns whether a lifetime that began at `start` has ended. If the clock was set back since, it counts as ended.
    func isOver(since start: Date, at now: Date) -> Bool {
        start.addingTimeInterval(interval(since: start)) <= now || now.isBefore(start)
    }
}

extension Date {
    /// Returns whether this is earlier than an earlier date, by more than clocks are adjusted.
    fileprivate func isBefore(_ earlier: Date) -> Bool { timeIntervalSince(earlier) <= -60 }
}

extension HTTPCacheRules {
    /// The rules for images where the standard leaves a choice: seven days where the server states no lifetime.
    package static let images: HTTPCacheRules = {
        var rules = HTTPCacheRules()
        rules.defaultLifetime = .seconds(7 * 86_400)
        return rules
    }()
}
