extension MemoryCache {
    /// Removes and returns the value for `key`; nil if there was none, or its time was over.
    @discardableResult
    @inlinable
    public func remove(for key: Key) -> Value? {
        let entry = ledger.withLock { removeEntry(for: key, hash: key.hashValue) }
        guard let entry else { return nil }
        // The eviction of one that is only weakly held was reported before.
        if entry.value != nil { listeners.tell(CollectionOfOne(key), .removed) }
        return entry.expiresAt > clock.monotonic() ? entry.value : nil
    }

    /// Removes all values, including those that are only weakly held.
    public func removeAll() {
        // Named, so that the old tables are freed after the locks are released.
        let emptied = ledger.withLock {
            ledger.cost = 0
            ledger.count = 0
            ledger.weakCount = 0
            return tables.indices.map { shard in change(shard) { $0.takeAll() } }
        }
        if !listeners.isEmpty {
            for table in emptied {
                let entries = (0..<table.placeCount).lazy.compactMap(table.entry)
                listeners.tell(entries.filter { $0.value != nil }.map(\.key), .cleared)
            }
        }
        withExtendedLifetime(emptied) {}
    }

    /// Evicts values until the sum of the costs is at most `cost`: expired ones, then the least recently used. The
    /// limit stays. An evicted value is still found while something else keeps it alive, if the cache has a weak
    /// reference to it.
    ///
    /// - Parameter cost: bytes; default 0, which empties the cache.
    public func trim(to cost: Int = 0) {
        removeExpired()
        evict(downTo: cost)
        // Values that nothing else kept alive were freed with it, and their weak references find nothing any more:
        // those have values of their own to free.
        removeExpired()
    }

    private func evict(downTo cost: Int) {
        let now = clock.monotonic()
        var dropped = Dropped()
        ledger.withLock {
            while ledger.cost > cost || (cost <= 0 && ledger.count > 0) {
                guard let victim = evictOne(at: now) else { break }
                dropped.append(victim, .evicted)
            }
        }
        finish(dropped)
    }

    /// Removes the values whose keys satisfy a predicate. Complexity: O(n).
    ///
    /// - Parameter isUnwanted: called with no lock held.
    /// - Returns: the number of values removed.
    @discardableResult
    public func removeAll(where isUnwanted: (Key) -> Bool) -> Int {
        var count = 0
        for key in keys(where: isUnwanted) {
            let entry = ledger.withLock { removeEntry(for: key, hash: key.hashValue) }
            guard let entry, entry.value != nil else { continue }
            listeners.tell(CollectionOfOne(key), .removed)
            count += 1
        }
        return count
    }

    /// Returns the keys that satisfy a predicate, those of values that are only weakly held included. Complexity: O(n).
    ///
    /// - Parameter isWanted: called with no lock held.
    @inlinable
    package func keys(where isWanted: (Key) -> Bool) -> [Key] {
        tables.flatMap { table in
            ledger.withLock { (0..<table.placeCount).compactMap(table.key) }.filter(isWanted)
        }
    }

    /// The entries that the cache removes from now on, with the reasons. Entries that are replaced are not among them,
    /// nor those released with the cache itself.
    ///
    /// Each call returns a stream of its own. A stream that is not read holds the newest 16,384 removals.
    public var removals: AsyncStream<CacheRemoval<Key>> { listeners.makeStream() }

    /// Frees removed entries, and reports them to the listeners. No lock may be held: freeing may run code of the user.
    @usableFromInline
    func finish(_ dropped: Dropped) {
        if !listeners.isEmpty { tell(dropped) }
        withExtendedLifetime(dropped) {}
    }

    @usableFromInline
    func tell(_ dropped: Dropped) {
        let now = clock.monotonic()
        // The eviction of what is only weakly held was reported before.
        for (entry, reason) in zip(dropped.entries, dropped.reasons) where entry.value != nil {
            let isOver = reason == .evicted && entry.expiresAt <= now
            listeners.tell(CollectionOfOne(entry.key), isOver ? .expired : reason)
        }
    }

    /// Removes expired entries, and evicted ones that can no longer be found. Complexity: O(n).
    public func removeExpired() {
        let now = clock.monotonic()
        for index in tables.indices {
            // Shard by shard, so that the objects looked at are not kept for long.
            var dropped = Dropped()
            ledger.withLock {
                var hand = MemoryLedger.Hand(shard: index)
                sweep(&hand, steps: .max, at: now, into: &dropped)
            }
            finish(dropped)
        }
    }

    /// Looks at a few entries on each store, so that expired ones are removed without a timer. The ledger's lock must
    /// be held.
    @inlinable
    func sweepSome(at now: Int64, into dropped: inout Dropped) {
        var hand = ledger.sweepHand
        sweep(&hand, steps: 4, at: now, into: &dropped)
        ledger.sweepHand = hand
    }

    /// Walks over at most `steps` places of one shard and removes expired entries. Ends on the next shard once this one
    /// is done.
    @inlinable
    func sweep(_ hand: inout MemoryLedger.Hand, steps: Int, at now: Int64, into dropped: inout Dropped) {
        let shard = hand.shard
        let hasGhosts = ledger.weakCount > 0
        withTable(shard) { table in
            let end = steps < table.placeCount - hand.place ? hand.place + steps : table.placeCount
            while hand.place < end {
                let place = hand.place
                hand.place += 1
                guard table.isDead(place, at: now, hasGhosts: hasGhosts, lookingAt: &dropped) else { continue }
                let entry = removeEntry(at: place, of: shard)
                if entry.value != nil { ledger.expirations += 1 }
                dropped.append(entry, .expired)
            }
            if hand.place >= table.placeCount { hand = MemoryLedger.Hand(shard: (shard + 1) % tables.count) }
        }
    }

    /// The present state and the history since the cache was made.
    public var statistics: MemoryCacheStatistics {
        ledger.withLock {
            let (hits, misses) = gate.counts
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

extension MemoryTable {
    /// Returns whether the entry at a place has expired, or can no longer be found because its object is gone.
    ///
    /// - Parameter dropped: receives the object of a weak reference that was read: reading retains it, and if its other
    ///   owners release it meanwhile, its `deinit` runs where `dropped` is released.
    @inlinable
    func isDead(
        _ place: Int,
        at now: Int64,
        hasGhosts: Bool,
        lookingAt dropped: inout DroppedEntries<Key, Value>
    ) -> Bool {
        // The time of a free place is never over.
        if states[place].expiresAt <= now { return true }
        guard hasGhosts, states[place].isTaken, entries[place].value == nil else { return false }
        guard let object = entries[place].weak?.object() else { return true }
        dropped.objects.append(object)
        return false
    }
}
