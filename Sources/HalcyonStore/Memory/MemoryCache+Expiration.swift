internal import HalcyonSystem

extension MemoryCache {
    /// Removes expired entries, and evicted ones that can no longer be found. Complexity: O(n).
    public func removeExpired() {
        let now = clock.monotonic()
        for index in shards.indices {
            // Shard by shard, so that the objects looked at are not kept for long.
            var dropped = Dropped()
            ledger.withLock { ledger in
                _ = sweep(from: .init(shard: index), steps: .max, at: now, &ledger, into: &dropped)
            }
            finish(dropped)
        }
    }

    /// Walks over at most so many places of one shard and removes expired entries, and ones that can no longer be found.
    /// Returns where to go on: in the next shard once this one is done.
    @inlinable
    func sweep(
        from hand: MemoryLedger.Hand,
        steps: Int,
        at now: Int64,
        _ ledger: inout MemoryLedger,
        into dropped: inout Dropped
    ) -> MemoryLedger.Hand {
        var hand = hand
        let firstRemoval = dropped.removals.count
        let isDone = shards[hand.shard].withLock { shard in
            shard.sweep(from: &hand.place, steps: steps, at: now, into: &dropped)
            return hand.place >= shard.entries.count
        }
        for removal in dropped.removals[firstRemoval...] {
            if removal.entry.value != nil { ledger.expirations += 1 }
            ledger.subtract(removal.entry)
        }
        return isDone ? .init(shard: (hand.shard + 1) % shards.count) : hand
    }

    /// The interval at which expired entries are swept while the cache is not empty; nil is never. A new interval
    /// begins at once. Less than a millisecond counts as that.
    public var sweepInterval: Duration? {
        get { sweepTask.interval }
        set { sweepTask.interval = newValue }
    }

    /// Begins to sweep, one interval from now and for as long as there is something to sweep: the first entry is in. While
    /// the cache is empty, there is no task.
    @usableFromInline
    func beginSweeping() {
        sweepTask.start { [weak self] clock, interval in
            while (try? await clock.sleep(upTo: interval)) != nil, !Task.isCancelled, self?.sweepOnTime() == true {}
        }
    }

    /// Sweeps, and returns whether anything is left that may have to be swept.
    private func sweepOnTime() -> Bool {
        removeExpired()
        return ledger.withLock { ledger in
            ledger.isSwept = ledger.count + ledger.weakCount > 0
            return ledger.isSwept
        }
    }
}
