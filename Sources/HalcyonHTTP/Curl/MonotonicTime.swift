internal import Glibc

/// A time in nanoseconds of the clock that cannot be set (CLOCK_MONOTONIC).
package struct MonotonicTime: Comparable, Sendable {
    private var nanoseconds: Int64

    package init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    package static let distantFuture = MonotonicTime(nanoseconds: .max)

    package static var now: MonotonicTime {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return MonotonicTime(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }

    package static func < (left: MonotonicTime, right: MonotonicTime) -> Bool {
        left.nanoseconds < right.nanoseconds
    }

    /// Returns the sum; ``distantFuture`` where it is too large.
    package static func + (time: MonotonicTime, duration: Duration) -> MonotonicTime {
        time.adding(nanoseconds: duration.saturatedNanoseconds)
    }

    /// Returns the sum with a duration that is converted already; the conversion takes longer than the sum.
    package func adding(nanoseconds duration: Int64) -> MonotonicTime {
        let (sum, overflow) = nanoseconds.addingReportingOverflow(duration)
        return overflow ? .distantFuture : MonotonicTime(nanoseconds: sum)
    }

    package static func - (left: MonotonicTime, right: MonotonicTime) -> Duration {
        .nanoseconds(left.nanoseconds - right.nanoseconds)
    }

    /// Returns the milliseconds from now until then, rounded up, for poll; at most an hour.
    func pollTimeout(from now: MonotonicTime) -> Int32 {
        guard self > now else { return 0 }
        let remaining = nanoseconds - now.nanoseconds
        return Int32(min(remaining / 1_000_000 + 1, 3_600_000))
    }
}

extension Duration {
    /// The whole nanoseconds, at least 0 and at most `Int64.max`.
    var saturatedNanoseconds: Int64 {
        guard self > .zero else { return 0 }
        guard self < .seconds(9_000_000_000) else { return .max }
        return components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000
    }

    /// The whole milliseconds as libcurl takes them for a limit: at least 1, since 0 means its default, at most 24
    /// days.
    var curlMilliseconds: Int {
        Int(min(max(saturatedNanoseconds / 1_000_000, 1), Int64(Int32.max)))
    }
}
