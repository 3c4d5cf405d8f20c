internal import HalcyonConcurrency

/// Calls a sweep again and again for as long as there is something to sweep.
///
/// Between two sweeps it is a sleeping task, which takes no thread; while the cache is empty it is nothing at all.
final class MemorySweep: Sendable {
    private struct State {
        var interval: Duration?
        var task: Task<Void, Never>?
        /// The function that sweeps; nil while the cache is empty.
        var action: (@Sendable () -> Bool)?
    }

    private let clock: any Clock<Duration>
    private let state: Lock<State>

    init(interval: Duration?, clock: any Clock<Duration>) {
        self.clock = clock
        state = Lock(State(interval: interval))
    }

    deinit {
        state.withLock { $0.task }?.cancel()
    }

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

    /// Begins to sweep, one interval from now.
    ///
    /// - Parameter action: sweeps; returns whether to go on.
    func start(_ action: @escaping @Sendable () -> Bool) {
        let earlier = state.withLock { state in
            state.action = action
            return restart(&state)
        }
        earlier?.cancel()
    }

    /// Makes a new task, and returns the one before it.
    private func restart(_ state: inout State) -> Task<Void, Never>? {
        let earlier = state.task
        state.task = nil
        guard let interval = state.interval, let action = state.action else { return earlier }
        // Its owner, which cancels it, is this object; it holds neither this nor the cache.
        state.task = Task.detached(priority: .utility) { [clock] in
            while (try? await clock.sleep(for: interval)) != nil, !Task.isCancelled, action() {}
        }
        return earlier
    }
}

extension MemoryCache {
    /// The interval at which expired entries are swept while the cache is not empty; nil is never. A new interval
    /// begins at once.
    public var sweepInterval: Duration? {
        get { sweep.interval }
        set { sweep.interval = newValue }
    }

    /// Begins to sweep: the first entry is in.
    @usableFromInline
    func beginSweeping() {
        sweep.start { [weak self] in self?.sweepOnTime() ?? false }
    }

    /// Sweeps, and returns whether anything is left that may have to be swept.
    private func sweepOnTime() -> Bool {
        removeExpired()
        return ledger.withLock {
            ledger.isSwept = ledger.count + ledger.weakCount > 0
            return ledger.isSwept
        }
    }
}
