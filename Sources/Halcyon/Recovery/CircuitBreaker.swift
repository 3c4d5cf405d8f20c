public import FoundationEssentials
internal import HalcyonConcurrency
internal import HalcyonHTTP

/// Leaves servers alone that fail again and again.
///
/// For each scheme, host and port it counts the failures that follow each other without a success. At the threshold
/// the circuit opens: loads from there fail at once with ``ImageError/Reason/serverUnavailable(_:)``. After a while one
/// load is let through; its success closes the circuit, its failure opens it again. A 429 or 503 with a `Retry-After`
/// opens it at once, for as long as the server asks. Off by default; memory is bounded by the number of servers.
public final class CircuitBreaker: Sendable {
    /// When circuits open, and for how long.
    public struct Configuration: Sendable, Hashable {
        /// How many failures open a circuit; at least 1. Default: 5.
        public var threshold = 5
        /// Failures longer ago than this no longer count. Default: 60 s.
        public var window: Duration = .seconds(60)
        /// How long a circuit is open before a load is let through. Default: 30 s.
        public var coolDown: Duration = .seconds(30)
        /// What a `Retry-After` is cut to. Default: 10 minutes.
        public var longestRetryAfter: Duration = .seconds(600)
        /// Which errors count. Default: connection errors, time-outs, and 429, 500, 502, 503, 504.
        public var errors = RetryableErrors(statusCodes: [429, 500, 502, 503, 504])
        /// The most servers that are remembered; the oldest make room. Default: 1,000.
        public var capacity = 1_000

        /// The defaults.
        public init() {}
    }

    /// What the breaker thinks of a server.
    public enum State: Sendable, Hashable {
        /// Loads go through; so many have failed since the last success.
        case closed(failures: Int)
        /// Loads fail at once, for this long.
        case open(remaining: Duration)
        /// The next load is let through to see, or is under way.
        case halfOpen
    }

    /// The leave to make one attempt. How it went has to be told.
    struct Permit: Sendable {
        fileprivate let origin: Origin
        fileprivate let id: UInt64
    }

    private enum Circuit: Sendable {
        /// When each failure was.
        case closed(failures: [Duration])
        case open(until: Duration)
        case halfOpen(probe: UInt64)
    }

    private struct Circuits: Sendable {
        var table: BoundedTable<Origin, Circuit>
        var lastID: UInt64 = 0
    }

    private let configuration: Configuration
    private let stopwatch: Stopwatch
    private let circuits: Lock<Circuits>

    /// A breaker whose circuits are all closed.
    ///
    /// - Parameters:
    ///   - configuration: When circuits open and for how long.
    ///   - clock: Default: the continuous clock.
    public init(_ configuration: Configuration = Configuration(), clock: any Clock<Duration> = ContinuousClock()) {
        self.configuration = configuration
        stopwatch = Stopwatch(clock)
        circuits = Lock(Circuits(table: BoundedTable(capacity: configuration.capacity)))
    }

    /// What the breaker thinks of the server of a URL.
    public func state(of url: URL) -> State {
        guard let origin = Origin(url.absoluteString) else { return .closed(failures: 0) }
        let now = stopwatch.elapsed
        return circuits.withLock { circuits in
            switch circuits.table[origin] {
            case nil: .closed(failures: 0)
            case .closed(let failures): .closed(failures: failures.count { now - $0 < configuration.window })
            case .open(let end): end > now ? .open(remaining: end - now) : .halfOpen
            case .halfOpen: .halfOpen
            }
        }
    }

    /// Closes the circuit of the server of a URL.
    public func reset(_ url: URL) {
        guard let origin = Origin(url.absoluteString) else { return }
        circuits.withLock { $0.table.remove(origin) }
    }

    /// Closes all circuits.
    public func resetAll() {
        circuits.withLock { $0.table.removeAll { _ in true } }
    }

    /// Lets an attempt through; `nil` for a URL that has no server.
    ///
    /// - Throws: ``ImageError/Reason/serverUnavailable(_:)`` with ``ImageError/retryAfter`` while the circuit is open.
    func admit(_ request: TransferRequest) throws(ImageError) -> Permit? {
        let url = request.url.absoluteString
        guard let origin = Origin(url) else { return nil }
        let now = stopwatch.elapsed
        let answer = circuits.withLock { circuits -> (id: UInt64?, wait: Duration) in
            circuits.lastID += 1
            switch circuits.table[origin] {
            case nil, .closed:
                return (circuits.lastID, .zero)
            case .open(let end) where end > now:
                return (nil, end - now)
            case .open:
                circuits.table.insert(.halfOpen(probe: circuits.lastID), for: origin)
                return (circuits.lastID, .zero)
            case .halfOpen:
                return (nil, .zero)
            }
        }
        if let id = answer.id { return Permit(origin: origin, id: id) }
        throw ImageError(
            stage: .load,
            reason: .serverUnavailable("\(origin)"),
            source: url,
            retryAfter: answer.wait > .zero ? answer.wait : nil
        )
    }

    /// The attempt succeeded.
    func succeeded(_ permit: Permit) {
        circuits.withLock { circuits in
            switch circuits.table[permit.origin] {
            case .closed: circuits.table.remove(permit.origin)
            case .halfOpen(let probe) where probe == permit.id: circuits.table.remove(permit.origin)
            // An attempt from before the circuit opened decides nothing.
            case .open, .halfOpen, nil: break
            }
        }
    }

    /// The attempt ended without saying anything of the server: it was cancelled, or never got there.
    func abandoned(_ permit: Permit) {
        let now = stopwatch.elapsed
        circuits.withLock { circuits in
            // Let the next one be the probe.
            if case .halfOpen(permit.id) = circuits.table[permit.origin] {
                circuits.table.insert(.open(until: now), for: permit.origin)
            }
        }
    }

    /// The attempt failed. An answer that does not count is a sign of life.
    func failed(_ permit: Permit, _ error: ImageError) {
        guard configuration.errors.contains(error) else {
            if error.isAnswer { succeeded(permit) } else { abandoned(permit) }
            return
        }
        let now = stopwatch.elapsed
        let wish = error.asksForTime ? min(error.retryAfter ?? .zero, configuration.longestRetryAfter) : .zero
        circuits.withLock { circuits in
            switch circuits.table[permit.origin] {
            case nil:
                fail(permit, [], wish, now, &circuits.table)
            case .closed(let failures):
                fail(permit, failures, wish, now, &circuits.table)
            case .halfOpen(let probe) where probe == permit.id:
                let end = now + max(wish, configuration.coolDown)
                circuits.table.insert(.open(until: end), for: permit.origin)
            case .open(let end) where now + wish > end:
                circuits.table.insert(.open(until: now + wish), for: permit.origin)
            case .open, .halfOpen:
                break
            }
        }
    }

    private func fail(
        _ permit: Permit,
        _ failures: [Duration],
        _ wish: Duration,
        _ now: Duration,
        _ table: inout BoundedTable<Origin, Circuit>
    ) {
        let failures = failures.filter { now - $0 < configuration.window } + [now]
        if wish > .zero {
            table.insert(.open(until: now + wish), for: permit.origin)
        } else if failures.count >= configuration.threshold {
            table.insert(.open(until: now + configuration.coolDown), for: permit.origin)
        } else {
            table.insert(.closed(failures: failures), for: permit.origin)
        }
    }
}

extension ImageError {
    /// Whether the server answered, whatever the answer was worth.
    fileprivate var isAnswer: Bool {
        switch reason {
        case .status, .contentType, .responseRejected, .dataRejected, .emptyBody: true
        default: false
        }
    }

    fileprivate var asksForTime: Bool { reason == .status(429) || reason == .status(503) }
}
