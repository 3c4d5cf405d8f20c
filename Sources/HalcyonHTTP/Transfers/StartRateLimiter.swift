/// The rate at which transfers may start: a bucket of tokens that is filled at a steady rate.
public struct StartRate: Sendable, Hashable {
    /// The tokens that come back each second; a start takes one.
    public var startsPerSecond: Double
    /// The starts that may follow each other at once after a rest, at least 1.
    public var burst: Int

    /// Creates a rate. The defaults suit lists that are scrolled fast: 80 a second, 25 at once.
    public init(startsPerSecond: Double = 80, burst: Int = 25) {
        self.startsPerSecond = startsPerSecond
        self.burst = burst
    }
}

/// Keeps to a ``StartRate``: a token bucket, stored as the one time at which it will be full again (the generic cell
/// rate algorithm, ITU-T I.371), so that nothing has to fill it.
struct StartRateLimiter {
    private let interval: Int64
    private let tolerance: Int64
    /// The time at which all tokens will be back.
    private var isFullAt = MonotonicTime(nanoseconds: 0)

    init(_ rate: StartRate) {
        // At most one an hour, at least one a nanosecond; not a number is the former.
        let seconds = rate.startsPerSecond > 1.0 / 3600 ? 1 / rate.startsPerSecond : 3600
        interval = max(1, Int64(seconds * 1e9))
        tolerance = interval * Int64(min(max(rate.burst, 1), 1_000_000) - 1)
    }

    /// The time at which the next token can be taken: not after `now` if there is one.
    var nextToken: MonotonicTime { isFullAt.adding(nanoseconds: -tolerance) }

    /// Takes a token, if there is one; returns whether there was.
    mutating func take(at now: MonotonicTime) -> Bool {
        guard nextToken <= now else { return false }
        isFullAt = max(isFullAt, now).adding(nanoseconds: interval)
        return true
    }
}
