internal import Dispatch
internal import FoundationEssentials
internal import Halcyon
internal import HalcyonSystem

/// The hosts that do not answer: one that has failed ten times in a row is left for last, and then asked once an image. One
/// that asks for time (`Retry-After`) is asked for nothing meanwhile.
final class HostFailures: Sendable {
    /// The failures in a row after which a host is left for last.
    static let limit = 10
    /// The longest time that a host is given; one that asks for more is given up.
    static let longestWait = Duration.seconds(600)
    /// A host that asks for no more than this is not left for last, in nanoseconds.
    private static let shortWait: UInt64 = 10_000_000_000
    /// More hosts than this are not remembered.
    private static let capacity = 10_000

    private struct Host {
        /// The failures in a row.
        var count = 0
        /// When it may be asked again, in nanoseconds of the monotonic clock.
        var end: UInt64 = 0
    }

    private let hosts = Lock<[String: Host]>([:])

    private static var now: UInt64 { DispatchTime.now().uptimeNanoseconds }

    /// Notes the result of an attempt. A failure of the host is only what says that it is down or overloaded.
    ///
    /// - Parameter error: `nil` for an attempt that succeeded.
    func note(_ error: ImageError?, of name: String) {
        let now = Self.now
        hosts.withLock { hosts in
            var host = hosts[name] ?? Host()
            if let error, RetryableErrors.standard.contains(error) {
                guard hosts[name] != nil || hosts.count < Self.capacity else { return }
                // What was sent before it asked for time says nothing more.
                if host.end <= now { host.count += 1 }
                if let wait = error.retryAfter, wait <= Self.longestWait {
                    host.end = max(host.end, now + UInt64(wait / .nanoseconds(1)))
                }
            } else {
                host.count = 0
            }
            hosts[name] = host.count > 0 || host.end > now ? host : nil
        }
    }

    /// Returns whether a host has failed too often.
    func isFailing(_ name: String) -> Bool {
        hosts.withLock { ($0[name]?.count ?? 0) >= Self.limit }
    }

    /// Returns whether a host is left for last.
    func isLeftForLast(_ name: String) -> Bool {
        isFailing(name) || waitEnd(name) > Self.now + Self.shortWait
    }

    /// Returns when a host may be asked again, in nanoseconds of the monotonic clock; 0 for now.
    func waitEnd(_ name: String) -> UInt64 {
        hosts.withLock { $0[name]?.end ?? 0 }
    }
}

extension ImageError {
    /// ``message``, and the time that the server asks for where that is more than a run waits.
    var fullMessage: String { message + wish }

    /// ``description``, and that time.
    var fullDescription: String { description + wish }

    private var wish: String {
        guard let retryAfter, retryAfter > HostFailures.longestWait else { return "" }
        return ", and asks to wait \(Int(retryAfter / .seconds(1))) s; repeat the command then"
    }
}

/// Further attempts with growing waits, none for hosts that are left for last.
struct RunRetries: RetryStrategy {
    private let backoff: BackoffStrategy
    private let failures: HostFailures

    /// - Parameter count: The largest number of further attempts.
    init(count: Int, failures: HostFailures) {
        // The first wait is 0.5 to 1 s, the next twice that.
        var backoff = BackoffStrategy.exponential(maxAttempts: count + 1)
        backoff.longestRetryAfter = HostFailures.longestWait
        self.backoff = backoff
        self.failures = failures
    }

    func decide(_ attempt: RetryContext) async -> RetryDecision {
        if let host = attempt.source.url?.hostAndPort {
            failures.note(attempt.error, of: host)
            if failures.isFailing(host) { return .stop }
        }
        return await backoff.decide(attempt)
    }

    static func == (left: RunRetries, right: RunRetries) -> Bool {
        left.backoff == right.backoff && left.failures === right.failures
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(backoff)
    }
}

extension URL {
    /// The host with its port, as a server is told from others; `nil` for a URL of no server.
    var hostAndPort: String? {
        guard let host = host(percentEncoded: false) else { return nil }
        return "\(host.lowercased()):\(port ?? (scheme?.lowercased() == "https" ? 443 : 80))"
    }
}
