internal import HalcyonConcurrency
internal import HalcyonStore

extension AsyncDiskCache {
    /// The time for which an entry may be known to this process alone.
    private static let flushDelay = Duration.milliseconds(100)
    /// The time after which entries that could not be written are tried again: another process may keep the index.
    private static let retryDelay = Duration.seconds(1)

    /// Waits until everything that was stored before is on disk. Later stores are not waited for: under load there are
    /// always more.
    func flush() async {
        let stores = state.withLock { $0.pending.all }
        for store in stores { store.priority.raise(to: .high) }
        for store in stores { await store.task.value }
        await flushStaged(priority: .high)
        // Programs flush before they end, which may be before the first sweep.
        try? await writing.run(priority: PriorityBox(.high)) { [cache] _ in cache.sweepBeforeEnd() }
    }

    /// Plans a flush of the staged entries, common to all stores until then: a transaction for each takes a quarter of
    /// the time of storing an image.
    func flushSoon(after delay: Duration = AsyncDiskCache.flushDelay) {
        let isPlanned = state.withLock { state in
            defer { state.isFlushPlanned = true }
            return state.isFlushPlanned
        }
        if isPlanned { return }
        // Not cancelled: it ends by itself. The disk cache writes the staged entries when it is released.
        Task.detached { [weak self, flushClock] in
            try? await flushClock.sleep(for: delay)
            await self?.flushPlanned()
        }
    }

    private func flushPlanned() async {
        state.withLock { $0.isFlushPlanned = false }
        if await !flushStaged(priority: .low) { retrySoon() }
    }

    /// Plans another flush if entries wait that could not be written.
    func retrySoon() {
        if cache.hasWaitingEntries { flushSoon(after: Self.retryDelay) }
    }

    /// Writes the staged entries; returns whether that succeeded.
    @discardableResult
    private func flushStaged(priority: LoadPriority) async -> Bool {
        let isFlushed = try? await writing.run(priority: PriorityBox(priority)) { [cache, faults] _ in
            do {
                try cache.flush()
                return true
            } catch {
                faults.report(error)
                return false
            }
        }
        return isFlushed ?? false
    }
}
