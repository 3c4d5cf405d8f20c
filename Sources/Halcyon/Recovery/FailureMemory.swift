public import FoundationEssentials
internal import HalcyonConcurrency
internal import HalcyonHTTP

/// Remembers which images could not be had, so that they are not asked for again and again.
///
/// A pipeline with such a memory in its ``RecoveryConfiguration`` fails loads of what has failed lately with
/// ``ImageError/Reason/failedBefore(_:)``, unless a cache has the image or the options look into no cache
/// (``ImageOption/forceRefresh``). A success makes it forget. Off by default.
///
/// Equal requests are one: method, URL, headers and credentials, with what the options of the load add, and what they accept.
/// Nothing is remembered of loads whose options have hooks, such as a request modifier, which may decide otherwise the next
/// time. Memory is bounded by the number of entries.
public final class FailureMemory: Sendable {
    /// Which failures are remembered.
    public struct Failures: Sendable, Hashable {
        /// These answers of the server. Default: 400, 403, 404, 405, 406, 410, 414, 451.
        public var statusCodes: Set<Int>
        /// Bytes that are no picture, or a damaged one, and empty bodies. Default: `true`.
        public var uselessBytes: Bool
        /// Any other answer that comes with a `Retry-After`, for the time it says. Default: `true`.
        public var answersWithRetryAfter: Bool

        /// Failures that will most likely be the same a few minutes later. Never connection errors, time-outs or
        /// cancellations: they say nothing of the image.
        public init(
            statusCodes: Set<Int> = [400, 403, 404, 405, 406, 410, 414, 451],
            uselessBytes: Bool = true,
            answersWithRetryAfter: Bool = true
        ) {
            self.statusCodes = statusCodes
            self.uselessBytes = uselessBytes
            self.answersWithRetryAfter = answersWithRetryAfter
        }

        func contains(_ error: ImageError) -> Bool {
            switch error.reason {
            case .status(let status):
                statusCodes.contains(status) || (answersWithRetryAfter && error.retryAfter ?? .zero > .zero)
            case .emptyBody: uselessBytes
            case .codec: uselessBytes && error.isDamage
            default: false
            }
        }
    }

    private struct Entry {
        let error: ImageError
        let end: Duration
    }

    private let expiration: Duration
    private let failures: Failures
    private let stopwatch: Stopwatch
    private let entries: Lock<BoundedTable<FailedRequest, Entry>>

    /// A memory with a default for everything.
    ///
    /// - Parameters:
    ///   - expiration: How long a failure is remembered; a `Retry-After` counts instead where the server sent one.
    ///     Default: 5 minutes.
    ///   - capacity: The most that are remembered; the oldest make room. Default: 1,024.
    ///   - failures: Which are remembered.
    ///   - clock: Default: the continuous clock.
    public init(
        expiration: Duration = .seconds(300),
        capacity: Int = 1_024,
        failures: Failures = Failures(),
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.expiration = expiration
        self.failures = failures
        stopwatch = Stopwatch(clock)
        entries = Lock(BoundedTable(capacity: capacity))
    }

    /// How many are remembered; some may have expired.
    public var count: Int { entries.withLock { $0.count } }

    /// Why a URL could not be loaded by a plain GET, if that is remembered.
    public func failure(for url: URL) -> ImageError? { failure(for: FailedRequest(TransferRequest(url: url))) }

    /// Forgets what is remembered of a URL, whatever the method and headers.
    public func remove(_ url: URL) {
        entries.withLock { $0.removeAll { $0.transfer.url == url } }
    }

    /// Forgets everything.
    public func removeAll() {
        entries.withLock { $0.removeAll { _ in true } }
    }

    func failure(for key: FailedRequest) -> ImageError? {
        let now = stopwatch.elapsed
        return entries.withLock { entries in
            guard let entry = entries[key] else { return nil }
            guard entry.end > now else {
                entries.remove(key)
                return nil
            }
            return entry.error
        }
    }

    /// Remembers an error, if it is one that counts.
    func record(_ error: ImageError, for request: FailedRequest) {
        guard failures.contains(error) else { return }
        let end = stopwatch.elapsed + (error.retryAfter ?? expiration)
        entries.withLock { $0.insert(Entry(error: error, end: end), for: request) }
    }

    func forget(_ request: FailedRequest) {
        entries.withLock { $0.remove(request) }
    }
}
