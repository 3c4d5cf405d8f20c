internal import HalcyonSystem

/// A clock that stands still while nobody can see what it drives.
///
/// A player that waits on it keeps its own state: whether it plays is the program's decision, and whether time passes
/// the widget's. While the clock stands still, no timer runs.
final class PresentationClock: Clock, Sendable {
    /// A point on the clock, counted from its creation.
    struct Instant: InstantProtocol {
        var offset: Duration

        func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }

        func duration(to other: Instant) -> Duration { other.offset - offset }

        static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private struct State {
        /// The time that passed until the clock was last started or stopped.
        var elapsed = Duration.zero
        /// The time of the base clock at which it was started; `nil` while it stands still.
        var start: Duration?
        var waiters: [UInt64: CheckedContinuation<Void, any Error>] = [:]
        /// The waits whose cancellation came before they were noted.
        var cancelled: Set<UInt64> = []
        var lastNumber: UInt64 = 0

        func elapsed(at time: Duration) -> Duration {
            // The time was read before the lock was taken, so that it may be earlier than the start.
            start.map { elapsed + max(.zero, time - $0) } ?? elapsed
        }
    }

    private let state = Lock(State())
    private let baseTime: @Sendable () -> Duration
    private let baseSleep: @Sendable (Duration) async throws -> Void

    /// A clock that stands still.
    ///
    /// - Parameter base: Says how fast time passes. Default: the system's, which stands still while the machine sleeps.
    init<Base: Clock<Duration>>(base: Base = SuspendingClock()) {
        let origin = base.now
        baseTime = { origin.duration(to: base.now) }
        baseSleep = { try await base.sleep(until: base.now.advanced(by: $0), tolerance: nil) }
    }

    var now: Instant {
        let time = baseTime()
        return state.withLock { Instant(offset: $0.elapsed(at: time)) }
    }

    var minimumResolution: Duration { .nanoseconds(1) }

    /// Lets time pass. Of no effect while it does.
    func start() {
        let time = baseTime()
        let waiters = state.withLock { state in
            if state.start == nil { state.start = time }
            defer { state.waiters = [:] }
            return state.waiters.values
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Stands still.
    func stop() {
        let time = baseTime()
        state.withLock { state in
            state.elapsed = state.elapsed(at: time)
            state.start = nil
        }
    }

    /// Waits until so much time has passed.
    ///
    /// - Throws: `CancellationError` as soon as the task is cancelled.
    func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        while true {
            let time = baseTime()
            let (rest, isRunning) = state.withLock { (deadline.offset - $0.elapsed(at: time), $0.start != nil) }
            guard rest > .zero else { return }
            // It may be stopped meanwhile, which makes this wait too short, and never too long.
            if isRunning { try await baseSleep(rest) } else { try await waitForStart() }
        }
    }

    private func waitForStart() async throws {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let result = state.withLock { state -> Result<Void, any Error>? in
                    if state.cancelled.remove(number) != nil { return .failure(CancellationError()) }
                    guard state.start == nil else { return .success(()) }
                    state.waiters[number] = continuation
                    return nil
                }
                if let result { continuation.resume(with: result) }
            }
            // A cancellation that came after the wait was over has left its number.
            _ = state.withLock { $0.cancelled.remove(number) }
        } onCancel: {
            let waiter = state.withLock { state in
                let waiter = state.waiters.removeValue(forKey: number)
                if waiter == nil { state.cancelled.insert(number) }
                return waiter
            }
            waiter?.resume(throwing: CancellationError())
        }
    }
}
