public import FoundationEssentials
internal import HalcyonHTTP
internal import HalcyonSystem

/// Stops requests to servers that fail repeatedly.
///
/// For each scheme, host and port it counts the failures that follow each other without a success. At the threshold the
/// circuit opens: loads from there fail at once with ``ImageError/Reason/serverUnavailable(_:)``. After a while one
/// load is admitted; its success closes the circuit, its failure opens it again. A 429 or 503 with a `Retry-After`
/// opens it at once, for as long as the server asks. Off by default; memory is bounded by the number of servers.
///
/// A downloader that the options name (``NetworkPolicy/downloader``) may reach a server by another way: it has circuits
/// of its own. So has a transport that a downloader is given later (``ImageDownloader/updateConfiguration(_:transport:)``):
/// what failed through a proxy, or without a certificate, says nothing about it.
public final class CircuitBreaker: Sendable {
    /// The conditions on which circuits open, and the time for which they do.
    public struct Configuration: Sendable, Hashable {
        /// The number of failures that opens a circuit; at least 1. Default: 5.
        public var threshold = 5
        /// The age beyond which failures no longer count. Default: 60 s.
        public var window: Duration = .seconds(60)
        /// The time that a circuit is open before a load is admitted. Default: 30 s.
        public var coolDown: Duration = .seconds(30)
        /// The longest `Retry-After` that counts; longer ones are cut to it. Default: 10 minutes.
        public var longestRetryAfter: Duration = .seconds(600)
        /// The errors that count. Default: connection errors, time-outs, and 429, 500, 502, 503, 504.
        public var errors = RetryableErrors(statusCodes: [429, 500, 502, 503, 504])
        /// The largest number of servers that are remembered; the oldest are removed first. Default: 1,000.
        public var capacity = 1_000

        /// The defaults.
        public init() {}
    }

    /// The state of the circuit of a server.
    public enum State: Sendable, Hashable {
        /// Loads are admitted; this many have failed since the last success.
        case closed(failures: Int)
        /// Loads fail at once, for this time.
        case open(remaining: Duration)
        /// The next load is admitted as a probe, or the probe is running.
        case halfOpen
    }

    /// A permit for one attempt. The outcome of the attempt has to be reported.
    struct Permit: Sendable {
        fileprivate let server: Server
        fileprivate let id: UInt64
    }

    /// The way by which servers are reached.
    struct Route: Hashable, Sendable {
        /// The number of the request's own downloader; `nil`: that of the pipeline.
        var downloader: UInt64?
        /// The number of the downloader's transport; `nil`: its first.
        var transport: UInt64?
    }

    /// A server, as it is reached by one way.
    fileprivate struct Server: Hashable, Sendable {
        let origin: Origin
        let route: Route
    }

    private enum Circuit: Sendable {
        /// The time of each failure.
        case closed(failures: [Duration])
        case open(until: Duration)
        case halfOpen(probe: UInt64)
    }

    private struct Circuits: Sendable {
        var table: BoundedTable<Server, Circuit>
        /// The way of the pipeline's downloader, by the newest transport that an attempt was admitted to.
        var route = Route()
        var lastID: UInt64 = 0
    }

    private let configuration: Configuration
    private let stopwatch: Stopwatch
    private let circuits: Lock<Circuits>

    /// A breaker whose circuits are all closed.
    ///
    /// - Parameters:
    ///   - configuration: The conditions on which circuits open. Default: the defaults.
    ///   - clock: Measures the times. Default: the continuous clock.
    public init(_ configuration: Configuration = Configuration(), clock: any Clock<Duration> = ContinuousClock()) {
        self.configuration = configuration
        stopwatch = Stopwatch(clock)
        circuits = Lock(Circuits(table: BoundedTable(capacity: configuration.capacity)))
    }

    /// Returns the state of the circuit of a URL's server, for the pipeline's downloader, and the newest of its transports
    /// that was used.
    public func state(of url: URL) -> State {
        guard let origin = Origin(url.absoluteString) else { return .closed(failures: 0) }
        let now = stopwatch.elapsed
        return circuits.withLock { circuits in
            switch circuits.table[Server(origin: origin, route: circuits.route)] {
            case nil: .closed(failures: 0)
            case .closed(let failures): .closed(failures: failures.count { now - $0 < configuration.window })
            case .open(let end): end > now ? .open(remaining: end - now) : .halfOpen
            case .halfOpen: .halfOpen
            }
        }
    }

    /// Closes the circuit of a URL's server, for all downloaders.
    public func reset(_ url: URL) {
        guard let origin = Origin(url.absoluteString) else { return }
        circuits.withLock { $0.table.removeAll { $0.origin == origin } }
    }

    /// Admits an attempt; returns `nil` for a URL that has no server.
    ///
    /// - Parameter route: The way by which it reaches the server. Default: that of the pipeline's first transport.
    /// - Throws: ``ImageError/Reason/serverUnavailable(_:)`` with ``ImageError/retryAfter`` while the circuit is open.
    func admit(_ request: TransferRequest, by route: Route = Route()) throws(ImageError) -> Permit? {
        let url = request.url.absoluteString
        guard let origin = Origin(url) else { return nil }
        let server = Server(origin: origin, route: route)
        let now = stopwatch.elapsed
        let answer = circuits.withLock { circuits -> (id: UInt64?, wait: Duration) in
            circuits.lastID += 1
            // Numbers of transports rise.
            if route.downloader == nil, route.transport ?? 0 > circuits.route.transport ?? 0 { circuits.route = route }
            switch circuits.table[server] {
            case nil, .closed:
                return (circuits.lastID, .zero)
            case .open(let end) where end > now:
                return (nil, end - now)
            case .open:
                circuits.table.insert(.halfOpen(probe: circuits.lastID), for: server)
                return (circuits.lastID, .zero)
            case .halfOpen:
                return (nil, .zero)
            }
        }
        if let id = answer.id { return Permit(server: server, id: id) }
        throw ImageError(
            stage: .load,
            reason: .serverUnavailable("\(origin)"),
            source: url,
            retryAfter: answer.wait > .zero ? answer.wait : nil
        )
    }

    /// Records that the attempt succeeded.
    func succeeded(_ permit: Permit) {
        circuits.withLock { circuits in
            switch circuits.table[permit.server] {
            case .closed: circuits.table.remove(permit.server)
            case .halfOpen(let probe) where probe == permit.id: circuits.table.remove(permit.server)
            // An attempt from before the circuit opened decides nothing.
            case .open, .halfOpen, nil: break
            }
        }
    }

    /// Records that the attempt ended without a result that concerns the server: it was cancelled, or did not reach it.
    func abandoned(_ permit: Permit) {
        let now = stopwatch.elapsed
        circuits.withLock { circuits in
            // The next attempt becomes the probe.
            if case .halfOpen(permit.id) = circuits.table[permit.server] {
                circuits.table.insert(.open(until: now), for: permit.server)
            }
        }
    }

    /// Records that the attempt failed. A response that does not count as a failure shows that the server works.
    func failed(_ permit: Permit, _ error: ImageError) {
        guard configuration.errors.contains(error) else {
            if error.isAnswer { succeeded(permit) } else { abandoned(permit) }
            return
        }
        let now = stopwatch.elapsed
        let wish = error.asksForTime ? min(error.retryAfter ?? .zero, configuration.longestRetryAfter) : .zero
        circuits.withLock { circuits in
            switch circuits.table[permit.server] {
            case nil:
                fail(permit, [], wish, now, &circuits.table)
            case .closed(let failures):
                fail(permit, failures, wish, now, &circuits.table)
            case .halfOpen(let probe) where probe == permit.id:
                let end = now + max(wish, configuration.coolDown)
                circuits.table.insert(.open(until: end), for: permit.server)
            case .open(let end) where now + wish > end:
                circuits.table.insert(.open(until: now + wish), for: permit.server)
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
        _ table: inout BoundedTable<Server, Circuit>
    ) {
        let failures = failures.filter { now - $0 < configuration.window } + [now]
        if wish > .zero {
            table.insert(.open(until: now + wish), for: permit.server)
        } else if failures.count >= configuration.threshold {
            table.insert(.open(until: now + configuration.coolDown), for: permit.server)
        } else {
            table.insert(.closed(failures: failures), for: permit.server)
        }
    }
}

extension ImageError {
    /// A Boolean value that indicates whether the server answered, with any response.
    fileprivate var isAnswer: Bool {
        switch reason {
        case .status, .contentType, .responseRejected, .dataRejected, .emptyBody: true
        default: false
        }
    }

    fileprivate var asksForTime: Bool { reason == .status(429) || reason == .status(503) }
}
