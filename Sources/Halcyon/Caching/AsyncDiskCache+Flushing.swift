internal import HalcyonConcurrency
internal import HalcyonStore

extension AsyncDiskCache {
    /// The time for which an entry may be known to this process alone.
    private static let flushDelay = Duration.milliseconds(100)
    /// The time after which entries that could not be written are tried again: another process may keep the index.
    private static let retryDelay = Duration.seconds(1)

    /// Waits until everything that was stored before is on disk, also in a task that was cancelled: programs that are
    /// interrupted flush before they end. Later stores are not waited for: under load there are always more.
    func flush() async {
        let stores = state.withLock { $0.pending.all }
        for store in stores { store.priority.raise(to: .high) }
        for store in stores { await store.task.value }
        await flushStaged(priority: .high)
        // A program may end before the first sweep.
        await write(priority: .high) { [cache] in cache.sweepBeforeEnd() }
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
        await write(priority: priority) { [cache, faults] in
            do {
                try cache.flush()
                return true
            } catch {
                faults.report(error)
                return false
            }
        }
    }

    /// Runs a function on the thread that changes the disk, whether or not the task is cancelled.
    func write<Result: Sendable>(
        priority: LoadPriority,
        _ body: @escaping @Sendable () -> Result
    ) async -> Result {
        await withCheckedContinuation { continuation in
            writing.schedule(priority: priority) { continuation.resume(returning: body()) }
        }
    }
}
