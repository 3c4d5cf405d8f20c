extension MemoryCache {
    /// Removes and returns the value for `key`; nil if there was none, or its time was over.
    @discardableResult
    public func remove(_ key: Key) -> Value? {
        let entry = ledger.withLock { removeEntry(key, hash: key.hashValue) }
        guard let entry, entry.expiresAt > clock.monotonic() else { return nil }
        return entry.value
    }

    /// Removes everything, what is only weakly held included.
    public func removeAll() {
        // Named, so that the old tables are freed after the locks are released.
        let tables = ledger.withLock {
            ledger.cost = 0
            ledger.count = 0
            ledger.weakCount = 0
            return shards.map { shard in
                shard.withLock { $0.takeAll() }
            }
        }
        withExtendedLifetime(tables) {}
    }

    /// Removes what has expired and what was evicted and can no longer be found. Complexity: O(n).
    public func removeExpired() {
        let dropped = ledger.withLock {
            var dropped: [Entry] = []
            for index in shards.indices {
                var hand = MemoryLedger.Hand(shard: index)
                sweep(&hand, steps: .max, into: &dropped)
            }
            return dropped
        }
        withExtendedLifetime(dropped) {}
    }

    /// Looks at a few entries on each insertion, so that what expired goes without a timer. The ledger's lock must be
    /// held.
    @inlinable
    func sweepSome(into dropped: inout [Entry]) {
        var hand = ledger.sweepHand
        sweep(&hand, steps: 4, into: &dropped)
        ledger.sweepHand = hand
    }

    /// Walks over at most `steps` places of one shard and takes out what has expired. Ends on the next shard once this
    /// one is done.
    @usableFromInline
    func sweep(_ hand: inout MemoryLedger.Hand, steps: Int, into dropped: inout [Entry]) {
        let now = clock.monotonic()
        var position = hand
        var dead: [Entry] = []
        shards[position.shard].withLock { table in
            var left = steps
            while left > 0, position.place < table.placeCount {
                defer {
                    left -= 1
                    position.place += 1
                }
                guard table.isTaken[position.place] else { continue }
                // Asking whether the object lives runs no code of the user: a weak reference is loaded and dropped.
                let entry = table.entries + position.place
                let isDead = entry.pointee.value == nil && entry.pointee.weak?.isAlive() != true
                guard isDead || entry.pointee.expiresAt <= now else { continue }
                dead.append(table.remove(at: position.place))
            }
            if position.place >= table.placeCount {
                position = MemoryLedger.Hand(shard: (position.shard + 1) % shards.count)
            }
        }
        for entry in dead {
            account(removed: entry)
            if entry.value != nil { ledger.expirations += 1 }
            dropped.append(entry)
        }
        hand = position
    }

    /// The present state and the history since the cache was made.
    public var statistics: MemoryCacheStatistics {
        ledger.withLock {
            var hits = 0
            var misses = 0
            for shard in shards {
                shard.withLock { _ in
                    hits += shard.hits
                    misses += shard.misses
                }
            }
            return MemoryCacheStatistics(
                count: ledger.count,
                cost: ledger.cost,
                hits: hits,
                misses: misses,
                evictions: ledger.evictions,
                expirations: ledger.expirations,
                weakCount: ledger.weakCount
            )
        }
    }
}
