internal import HalcyonConcurrency

/// Calls a sweep again and again for as long as there is something to sweep. While the cache is empty, there is no task.
struct MemorySweep: Sendable {
    let task: SweepTask

    /// Begins to sweep, one interval from now.
    ///
    /// - Parameter action: sweeps; returns whether to go on.
    func start(_ action: @escaping @Sendable () -> Bool) {
        task.start { clock, interval in
            while (try? await clock.sleep(upTo: interval)) != nil, !Task.isCancelled, action() {}
        }
    }
}

extension MemoryCache {
    /// The interval at which expired entries are swept while the cache is not empty; nil is never. A new interval
    /// begins at once. Less than a millisecond counts as that.
    public var sweepInterval: Duration? {
        get { sweep.task.interval }
        set { sweep.task.interval = newValue }
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
