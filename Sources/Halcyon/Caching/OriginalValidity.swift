internal import FoundationEssentials
internal import HalcyonHTTP
internal import HalcyonStore

/// For how long and for whom an original may be used, and all that was made of it.
///
/// It keeps what the server said, and not what one request made of that: each request has rules of its own.
///
/// A class, so that one reference is counted where an image in memory is looked at.
final class OriginalValidity: Sendable {
    /// The head of the response, as far as it decides this.
    let response: StoredResponse
    /// When a request that leaves it to the server has to ask again.
    private let freshUntil: Date
    /// Whether the server said nothing about it, so that the default lifetime holds, after which the cache
    /// has it no longer.
    let isSilent: Bool
    /// Whether the image is for some requests alone.
    let isVarying: Bool
    /// The bytes this value keeps in memory.
    let byteCount: Int

    /// As a server said.
    init(_ head: StoredResponse) {
        response = head.forReuse
        byteCount = response.byteCount
        let freshness = head.freshness(at: head.responseTime, rules: .images)
        let mustAsk = head.cacheControl.noCache
        freshUntil = mustAsk ? .distantPast : head.freshUntil(rules: .images)
        isVarying = head.isVarying
        isSilent = !mustAsk && !freshness.isExplicit && freshness.isFresh && !head.isVarying
    }

    /// When an image of which the server said nothing has to be asked for again, however often it was used; `nil` for others.
    var silentEnd: Date? { isSilent ? freshUntil : nil }

    /// Whether there are failures of the server that make the image usable when its time is over.
    var mayBeUsedStale: Bool {
        let control = response.cacheControl
        return !control.noCache && !control.mustRevalidate
    }

    /// Whether a request with this rule has to ask the server.
    func isOver(at now: Date, _ rule: FreshnessPolicy) -> Bool {
        switch rule {
        case .ignoringServer: false
        case .server: freshUntil <= now || now.isBefore(response.responseTime)
        case .expiration(let expiration): expiration.isOver(since: response.responseTime, at: now)
        }
    }

    /// When a request with this rule has to ask the server, if there is such a date and it does not come from a default.
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
    /// Whether the time of what came at `start` is over. After the clock went back nobody knows.
    func isOver(since start: Date, at now: Date) -> Bool {
        start.addingTimeInterval(interval(since: start)) <= now || now.isBefore(start)
    }
}

extension Date {
    /// Whether this is earlier than what came before it, by more than clocks are adjusted.
    fileprivate func isBefore(_ earlier: Date) -> Bool { timeIntervalSince(earlier) <= -60 }
}

extension HTTPCacheRules {
    /// What the standard leaves open, for images: seven days where the server says nothing, and no parts, as each is decoded
    /// whole.
    static let images: HTTPCacheRules = {
        var rules = HTTPCacheRules()
        rules.defaultLifetime = .seconds(7 * 86_400)
        rules.servesWhole = true
        return rules
    }()
}
