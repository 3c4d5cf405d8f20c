internal import FoundationEssentials
internal import Halcyon
internal import HalcyonSystem

/// The hosts that do not answer: one that has failed ten times in a row is left for last, and then asked once an image.
final class HostFailures: Sendable {
    /// The failures in a row after which a host is left for last.
    static let limit = 10
    /// More hosts than this are not remembered.
    private static let capacity = 10_000

    private let counts = Lock<[String: Int]>([:])

    /// Notes the result of an attempt. A failure of the host is only what says that it is down or overloaded.
    ///
    /// - Parameter error: `nil` for an attempt that succeeded.
    func note(_ error: ImageError?, of host: String) {
        counts.withLock { counts in
            if let error, RetryableErrors.standard.contains(error) {
                if counts[host] != nil || counts.count < Self.capacity { counts[host, default: 0] += 1 }
            } else {
                counts.removeValue(forKey: host)
            }
        }
    }

    /// Returns whether a host is left for last.
    func isFailing(_ host: String) -> Bool {
        counts.withLock { ($0[host] ?? 0) >= Self.limit }
    }
}

/// Further attempts with growing waits, none for hosts that are left for last.
struct RunRetries: RetryStrategy {
    private let backoff: BackoffStrategy
    private let failures: HostFailures

    /// - Parameter count: The largest number of further attempts.
    init(count: Int, failures: HostFailures) {
        // The first wait is 0.5 to 1 s, the next twice that.
        backoff = .exponential(maxAttempts: count + 1)
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
