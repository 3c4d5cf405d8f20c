extension MemoryCache {
    /// Removes and returns the value for `key`; nil if there was none, or its time was over.
    @discardableResult
    public func remove(_ key: Key) -> Value? {
        let entry = ledger.withLock { removeEntry(key, hash: key.hashValue) }
        guard let entry else { return nil }
        // One that was evicted and is only weakly held was told as evicted.
        if entry.value != nil { listeners.tell(CollectionOfOne(key), .removed) }
        return entry.expiresAt > clock.monotonic() ? entry.value : nil
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
        if !listeners.isEmpty {
            for table in tables {
                let entries = (0..<table.placeCount).lazy.compactMap(table.entry)
                listeners.tell(entries.filter { $0.value != nil }.map(\.key), .cleared)
            }
        }
        withExtendedLifetime(tables) {}
    }

    /// Evicts until the sum of the costs is at most `cost`: what has expired, then what was not used for longest. The
    /// limit stays. What is evicted is still found while something else keeps it alive, where the cache has a weak
    /// reference to it.
    ///
    /// - Parameter cost: bytes; default 0, which empties the cache.
    public func trim(to cost: Int = 0) {
        removeExpired()
        var dropped = Dropped()
        ledger.withLock {
            while ledger.cost > cost || (cost <= 0 && ledger.count > 0) {
                guard let victim = evictOne() else { break }
                dropped.evicted.append(victim)
            }
        }
        finish(dropped)
    }

    /// Removes what `isUnwanted` picks by its key. Complexity: O(n).
    ///
    /// - Parameter isUnwanted: called with no lock held.
    /// - Returns: the number of values removed.
    @discardableResult
    public func removeAll(where isUnwanted: (Key) -> Bool) -> Int {
        var count = 0
        for shard in shards {
            let keys = shard.withLock { table in (0..<table.placeCount).compactMap(table.entry).map(\.key) }
            for key in keys where isUnwanted(key) {
                let entry = ledger.withLock { removeEntry(key, hash: key.hashValue) }
                guard let entry, entry.value != nil else { continue }
                listeners.tell(CollectionOfOne(key), .removed)
                count += 1
            }
        }
        return count
    }

    /// What goes from now on, and why. What is replaced is not among it, nor what goes because the cache itself ends.
    ///
    /// Each call gives a stream of its own. One that nobody reads holds the newest 16,384 removals.
    public var removals: AsyncStream<CacheRemoval<Key>> { listeners.makeStream() }

    /// Frees what left the cache, and tells who listens. No lock may be held: freeing may run code of the user.
    @inlinable
    func finish(_ dropped: Dropped) {
        guard listeners.isEmpty else { return tell(dropped) }
        withExtendedLifetime(dropped) {}
    }

    @usableFromInline
    func tell(_ dropped: Dropped) {
        let now = clock.monotonic()
        // What is only weakly held was told as evicted when it was.
        listeners.tell(dropped.expired.filter { $0.value != nil }.map(\.key), .expired)
        listeners.tell(dropped.removed.filter { $0.value != nil }.map(\.key), .removed)
        for entry in dropped.evicted {
            listeners.tell(CollectionOfOne(entry.key), entry.expiresAt <= now ? .expired : .evicted)
        }
    }

    /// Removes what has expired and what was evicted and can no longer be found. Complexity: O(n).
    public func removeExpired() {
        var dropped = Dropped()
        ledger.withLock {
            for index in shards.indices {
                var hand = MemoryLedger.Hand(shard: index)
                sweep(&hand, steps: .max, into: &dropped.expired)
            }
        }
        finish(dropped)
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
                    hits += shard.lock.hits
                    misses += shard.lock.misses
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
