internal import HalcyonSystem

/// A clock that stands still until a test moves it.
///
/// ```swift
/// let clock = ManualClock()
/// async let image = pipeline.image(from: url)
/// await clock.waitForSleepers(1)
/// clock.advance(by: .seconds(3))
/// ```
public final class ManualClock: Clock {
    /// A point on the clock, counted from its creation.
    public struct Instant: InstantProtocol {
        /// The time since the clock was made.
        public var offset: Duration

        /// Returns the instant this much later.
        public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }

        /// Returns the time from this instant to another.
        public func duration(to other: Instant) -> Duration { other.offset - offset }

        /// Orders instants by time.
        public static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private struct Sleeper {
        let deadline: Instant
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var now = Instant(offset: .zero)
        var sleepers: [UInt64: Sleeper] = [:]
        /// The sleeps whose cancellation came before they were noted.
        var cancelled: Set<UInt64> = []
        var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
        var nextID: UInt64 = 0
    }

    private let state = Lock(State())

    /// Creates a clock that shows zero.
    public init() {}

    /// The instant that the clock shows.
    public var now: Instant { state.withLock { $0.now } }

    /// The smallest step of the clock; every step is distinct from the next.
    public var minimumResolution: Duration { .zero }

    /// The number of sleeps on the clock.
    public var sleeperCount: Int { state.withLock { $0.sleepers.count } }

    /// Lets time pass, and ends the sleeps whose time has come, the earliest first.
    public func advance(by duration: Duration) {
        let woken = state.withLock { state -> [Sleeper] in
            state.now = state.now.advanced(by: duration)
            let due = state.sleepers.filter { $0.value.deadline <= state.now }
            for id in due.keys { state.sleepers[id] = nil }
            return due.sorted { ($0.value.deadline, $0.key) < ($1.value.deadline, $1.key) }.map(\.value)
        }
        for sleeper in woken { sleeper.continuation.resume() }
    }

    /// Returns once there are at least this many sleeps at the same time.
    public func waitForSleepers(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isReached = state.withLock { state in
                guard state.sleepers.count < count else { return true }
                state.watchers.append((count, continuation))
                return false
            }
            if isReached { continuation.resume() }
        }
    }

    /// Waits until the clock has been moved to a time.
    ///
    /// - Throws: `CancellationError` as soon as the task is cancelled.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        let id = state.withLock { state -> UInt64 in
            state.nextID += 1
            return state.nextID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { fallAsleep(id, Sleeper(deadline: deadline, continuation: $0)) }
        } onCancel: {
            cancel(id)
        }
    }

    private func fallAsleep(_ id: UInt64, _ sleeper: Sleeper) {
        enum Outcome {
            case asleep([CheckedContinuation<Void, Never>])
            case awake
            case cancelled
        }
        let outcome = state.withLock { state -> Outcome in
            if state.cancelled.remove(id) != nil { return .cancelled }
            guard sleeper.deadline > state.now else { return .awake }
            state.sleepers[id] = sleeper
            let count = state.sleepers.count
            let reached = state.watchers.filter { $0.count <= count }.map(\.continuation)
            state.watchers.removeAll { $0.count <= count }
            return .asleep(reached)
        }
        switch outcome {
        case .asleep(let watchers):
            for watcher in watchers { watcher.resume() }
        case .awake: sleeper.continuation.resume()
        case .cancelled: sleeper.continuation.resume(throwing: CancellationError())
        }
    }

    private func cancel(_ id: UInt64) {
        let sleeper = state.withLock { state -> Sleeper? in
            if let sleeper = state.sleepers.removeValue(forKey: id) { return sleeper }
            state.cancelled.insert(id)
            return nil
        }
        sleeper?.continuation.resume(throwing: CancellationError())
    }
}
