public import FoundationEssentials

/// The time at which a cached entry stops being valid.
public enum Expiration: Sendable, Hashable {
    /// Never.
    case never
    /// This many seconds after it was stored; zero or less is already over.
    case seconds(Double)
    /// This many days of 86,400 seconds after it was stored.
    case days(Int)
    /// At this date; an access does not move it.
    case date(Date)
    /// Already over: nothing is stored.
    case expired

    /// Returns the lifetime, in seconds, that an entry starts with at `now`: infinite for ``never``, zero or less if it
    /// is over.
    public func interval(since now: Date) -> Double {
        switch self {
        case .never: .infinity
        case .seconds(let seconds): Self.orOver(seconds)
        case .days(let days): Double(days) * 86_400
        case .date(let date): Self.orOver(date.timeIntervalSince(now))
        case .expired: -.infinity
        }
    }

    /// Returns an interval, or 0 for what is no number.
    private static func orOver(_ interval: Double) -> Double { interval.isNaN ? 0 : interval }

    /// Returns whether an entry stored at `now` would not be valid for any time.
    public func isOver(at now: Date) -> Bool {
        !(interval(since: now) > 0)
    }

    /// A Boolean value that indicates whether the expiry moves when an access restarts the original lifetime.
    @usableFromInline
    var isRelative: Bool {
        switch self {
        case .seconds, .days: true
        case .never, .date, .expired: false
        }
    }
}
