internal import HalcyonSystem

/// The task that sweeps a cache again and again, at an interval that may be changed.
///
/// Between two sweeps it is a sleeping task, which takes no thread; before it is started it is nothing at all.
final class SweepTask: Sendable {
    /// Sweeps, and sleeps on the clock in between, until nothing is left to do or its task is cancelled.
    typealias Work = @Sendable (_ clock: any Clock<Duration>, _ interval: Duration) async -> Void

    private struct State {
        var interval: Duration?
        var task: Task<Void, Never>?
        /// `nil` before the start, and once it is stopped.
        var work: Work?
    }

    private static let shortestInterval = Duration.milliseconds(1)

    private let clock: any Clock<Duration>
    private let state: Lock<State>

    init(interval: Duration?, clock: any Clock<Duration>) {
        self.clock = clock
        state = Lock(State(interval: interval))
    }

    deinit {
        state.withLock { $0.task }?.cancel()
    }

    /// The time between two sweeps; `nil` for no sweeps. A new one begins at once. Less than a millisecond counts as that.
    var interval: Duration? {
        get { state.withLock { $0.interval } }
        set {
            let earlier = state.withLock { state in
                state.interval = newValue
                return restart(&state)
            }
            // With no lock held: the cancellation calls the clock, which may be code of the user.
            earlier?.cancel()
        }
    }

    /// Begins to sweep, anew if it has begun. The work must not keep the cache alive.
    func start(_ work: @escaping Work) {
        let earlier = state.withLock { state in
            state.work = work
            return restart(&state)
        }
        earlier?.cancel()
    }

    /// Ends the sweeping. A sweep that is running ends by itself.
    func stop() {
        let (task, work) = state.withLock { state in
            defer { (state.task, state.work) = (nil, nil) }
            return (state.task, state.work)
        }
        task?.cancel()
        withExtendedLifetime(work) {}
    }

    /// Makes a new task, and returns the one before it.
    private func restart(_ state: inout State) -> Task<Void, Never>? {
        let earlier = state.task
        state.task = nil
        guard let interval = state.interval, let work = state.work else { return earlier }
        // Its owner, which cancels it, is this object; it holds neither this nor the cache.
        // An interval of nothing, or less, would keep a processor busy.
        let pause = max(interval, Self.shortestInterval)
        state.task = Task.detached(priority: .utility) { [clock] in await work(clock, pause) }
        return earlier
    }
}
