/// Keeps to a ``StartRate``: a token bucket, stored as the one time at which it will be full again (the generic cell
/// rate algorithm, ITU-T I.371), so that nothing has to fill it.
struct StartLimiter {
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
