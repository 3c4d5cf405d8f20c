internal import HalcyonStore
internal import HalcyonSystem

extension DiskTier {
    /// The time for which an entry may be known to this process alone.
    private static let flushDelay = Duration.milliseconds(100)
    /// The time after which entries that could not be written are tried again: another process may keep the index.
    private static let retryDelay = Duration.seconds(1)

    /// Waits until everything that was stored before is on disk, also in a task that was cancelled: programs that are
    /// interrupted flush before they end.
    func flush(_ call: TierCall) async -> TierOutcome {
        let isDone = await flushStaged(call)
        // A program may end before the first sweep.
        await write(priority: call.priority) { [cache] in cache.sweepBeforeEnd() }
        return isDone ? .done() : .unavailable
    }

    /// Plans a flush of the staged entries, common to all stores until then: a transaction for each takes a quarter of
    /// the time of storing an image.
    func flushSoon(after delay: Duration = DiskTier.flushDelay) {
        let isPlanned = isFlushPlanned.withLock { isPlanned in
            defer { isPlanned = true }
            return isPlanned
        }
        if isPlanned { return }
        // Not cancelled: it ends by itself. The disk cache writes the staged entries when it is released.
        Task.detached { [weak self, flushClock] in
            try? await flushClock.sleep(for: delay)
            await self?.flushPlanned()
        }
    }

    private func flushPlanned() async {
        isFlushPlanned.withLock { $0 = false }
        if await !flushStaged(TierCall(priority: .low)) { retrySoon() }
    }

    /// Plans another flush if entries wait that could not be written.
    func retrySoon() {
        if cache.hasWaitingEntries { flushSoon(after: Self.retryDelay) }
    }

    /// Writes the staged entries; returns whether that succeeded.
    private func flushStaged(_ call: TierCall) async -> Bool {
        await attempt(call) { try $0.flush() } != nil
    }
}
