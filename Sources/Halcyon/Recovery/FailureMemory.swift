public import FoundationEssentials
internal import HalcyonHTTP
internal import HalcyonSystem

/// A memory of failed loads, so that the same failure is not caused again and again.
///
/// A pipeline with such a memory in its ``RecoveryConfiguration`` fails loads that have failed a short while ago with
/// ``ImageError/Reason/failedBefore(_:)``, unless a cache has the image or the options look into no cache
/// (``ImageOption/forceRefresh``). A success removes the failure from the memory. Off by default.
///
/// Failures are kept for each request: its method, URL, headers and credentials, with those that the options of the
/// load add, and the responses that they accept; and for each configuration of a downloader, as another transport or policy
/// may bring another answer (``ImageDownloader/updateConfiguration(_:transport:)``). A frame behind the first that cannot be decoded is a failure of that
/// frame alone, and one with codecs or a type hint of the options is not remembered. Nothing is remembered of loads
/// whose options have hooks, which may decide otherwise the next time. Memory is bounded by
/// the number of entries.
public final class FailureMemory: Sendable {
    /// The failures that are remembered.
    public struct Failures: Sendable, Hashable {
        /// The statuses that are remembered. Default: 400, 403, 404, 405, 406, 410, 414, 451.
        public var statusCodes: Set<Int>
        /// A Boolean value that indicates whether bytes that are no image or a damaged one, and empty bodies, are
        /// remembered. Default: `true`.
        public var uselessBytes: Bool
        /// A Boolean value that indicates whether any other response with a `Retry-After` is remembered, for the time
        /// that it states. Default: `true`.
        public var answersWithRetryAfter: Bool

        /// Failures that are most likely the same a few minutes later. Connection errors, time-outs and cancellations
        /// are never among them, as they don't concern the image.
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
    ///   - expiration: The time that a failure is remembered; a `Retry-After` counts instead where the server sent one.
    ///     Default: 5 minutes.
    ///   - capacity: The largest number of failures; the oldest are removed first. Default: 1,024.
    ///   - failures: The failures that are remembered.
    ///   - clock: Measures the times. Default: the continuous clock.
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

    /// The number of failures; some may have expired.
    public var count: Int { entries.withLock { $0.count } }

    /// Returns the error of a plain GET of a URL, if it is remembered: under the latest configuration of the downloader for
    /// which there is one. Complexity: O(n) in the number of failures.
    public func failure(for url: URL) -> ImageError? {
        let now = stopwatch.elapsed
        let failures = entries.withLock { $0.entries { $0.isPlain(url) } }
        return failures.filter { $0.value.end > now }.max { $0.key.generation < $1.key.generation }?.value.error
    }

    /// Removes all failures of a URL, whatever the method and headers.
    public func remove(_ url: URL) {
        let url = url.normalized
        entries.withLock { $0.removeAll { $0.transfer.url == url } }
    }

    /// Removes all failures.
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

    /// Records an error, if it is one that is remembered.
    func record(_ error: ImageError, for request: FailedRequest) {
        guard failures.contains(error) else { return }
        let end = stopwatch.elapsed + (error.retryAfter ?? expiration)
        entries.withLock { $0.insert(Entry(error: error, end: end), for: request) }
    }

    func forget(_ request: FailedRequest) {
        entries.withLock { $0.remove(request) }
    }
}
