internal import FoundationEssentials
package import HalcyonHTTP
public import HalcyonStore

/// The rule for the time that an image from a server is used without asking again.
public enum FreshnessPolicy: Sendable, Hashable {
    /// The time that the server states: `Cache-Control`, `Expires`, `Vary` (RFC 9111). Where it states none, 7 days; no
    /// more than those where redirects led to the image. An image that it forbids to store is kept neither on disk nor
    /// in memory.
    case server
    /// This time from the arrival of the image, or its last validation, whatever lifetime the server states.
    case expiration(Expiration)
    /// No limit: the image is used for as long as a cache has it (7 days on disk, extended on access).
    case ignoringServer
}

extension FreshnessPolicy {
    /// Returns whether a request with this rule has to ask the server before it uses an image.
    ///
    /// - Parameters:
    ///   - validity: What the server stated; `nil` for nothing.
    ///   - received: The time at which the image came from its server, or was validated last; `nil` if there is none.
    ///     Evaluated only for ``expiration(_:)``.
    func isOver(_ validity: OriginalValidity?, receivedAt received: @autoclosure () -> Date?, at now: Date) -> Bool {
        switch self {
        case .ignoringServer:
            false
        case .server:
            validity.map { $0.freshUntil <= now || now.isBefore($0.response.responseTime) } ?? false
        case .expiration(let expiration):
            received().map { expiration.isOver(since: $0, at: now) } ?? false
        }
    }
}

extension OriginalValidity {
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

extension ResolvedRequest {
    /// A Boolean value that indicates whether the response is cached as its server says.
    var followsServer: Bool { options.cache.freshness != .ignoringServer && cacheableTransfer != nil }

    /// Returns whether a request with this rule of freshness has to ask the server before it uses an image.
    func mustAsk(about validity: OriginalValidity?) -> Bool {
        options.cache.freshness.isOver(
            validity,
            receivedAt: validity?.response.responseTime,
            at: target.disk.now()
        )
    }

    /// The rules for what the standard leaves open, with the request's own rule of freshness.
    var cacheRules: HTTPCacheRules {
        var rules = HTTPCacheRules.images
        rules.hasUnknownFields = hasUnknownFields
        rules.isShared = target.isShared
        switch options.cache.freshness {
        case .server: break
        case .ignoringServer: rules.ignoresServer = true
        case .expiration(.date(let date)): rules.lifetimeOverride = .until(date)
        case .expiration(let expiration):
            rules.lifetimeOverride = .seconds(expiration.interval(since: target.disk.now()))
        }
        return rules
    }
}

extension Expiration {
    /// Returns whether a lifetime that began at `start` has ended. If the clock was set back since, it counts as ended.
    fileprivate func isOver(since start: Date, at now: Date) -> Bool {
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
