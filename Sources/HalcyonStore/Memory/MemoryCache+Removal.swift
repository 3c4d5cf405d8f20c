internal import HalcyonSystem

extension MemoryCache {
    /// Removes and returns the value for `key`; nil if there was none, or its time was over.
    @discardableResult
    @inlinable
    public func remove(for key: Key) -> Value? {
        guard let entry = removeAndTell(HashedKey(key)) else { return nil }
        return entry.expiresAt > clock.monotonic() ? entry.value : nil
    }

    /// Removes the value of a key if `isUnwanted` returns `true` for it, in one step with asking. What only a weak reference
    /// still finds is removed without asking.
    @inlinable
    package func remove(for key: Key, where isUnwanted: (Value) -> Bool) {
        _ = removeAndTell(HashedKey(key), where: isUnwanted)
    }

    /// Removes an entry, and reports it if it held a value: the eviction of what is only weakly held was reported before.
    ///
    /// - Parameter isUnwanted: called under the lock of changes. Default: the value is unwanted.
    @inlinable
    func removeAndTell(_ key: HashedKey<Key>, where isUnwanted: (Value) -> Bool = { _ in true }) -> Entry? {
        let entry = ledger.withLock { ledger -> Entry? in
            let value = withShard(of: key) { shard in shard.places[key].flatMap { shard.entries[$0].value } }
            if let value, !isUnwanted(value) { return nil }
            return remove(key, &ledger)
        }
        if entry?.value != nil { listeners.tell(CollectionOfOne(key.key), .removed) }
        return entry
    }

    /// Removes all values, including those that are only weakly held.
    public func removeAll() {
        // Named, so that what they held is freed after the locks are released.
        let emptied = ledger.withLock { ledger in
            (ledger.cost, ledger.count, ledger.weakCount) = (0, 0, 0)
            return shards.map { shard in shard.withLock { $0.takeAll() } }
        }
        if !listeners.isEmpty {
            let removed = emptied.lazy.flatMap(\.entries).filter { $0.value != nil }
            listeners.tell(removed.compactMap { $0.key?.key }, .cleared)
        }
        withExtendedLifetime(emptied) {}
    }

    /// Removes the values whose keys satisfy a predicate. Complexity: O(n).
    ///
    /// - Parameter isUnwanted: called with no lock held.
    /// - Returns: the number of values removed.
    @discardableResult
    public func removeAll(where isUnwanted: (Key) -> Bool) -> Int {
        keys(where: isUnwanted).count { removeAndTell(HashedKey($0))?.value != nil }
    }

    /// Returns the keys that satisfy a predicate, those of values that are only weakly held included. Complexity: O(n).
    ///
    /// - Parameter isWanted: called with no lock held.
    @inlinable
    package func keys(where isWanted: (Key) -> Bool) -> [Key] {
        // Under the lock of changes, so that it finds what was admitted before.
        let places = ledger.withLock { _ in shards.map { shard in shard.withLock { $0.places } } }
        return places.flatMap { $0.keys.lazy.map(\.key).filter(isWanted) }
    }

    /// Evicts values until the sum of the costs is at most `cost`: expired ones, then about the least recently used. The
    /// limit stays. An evicted value is still found while something else keeps it alive, if the cache has a weak
    /// reference to it.
    ///
    /// - Parameter cost: bytes; default 0, which empties the cache.
    public func trim(to cost: Int = 0) {
        removeExpired()
        evict { $0.cost > cost || (cost <= 0 && $0.count > 0) }
        // Values that nothing else kept alive were freed with it, and their weak references find nothing any more:
        // those have values of their own to free.
        removeExpired()
    }

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

    /// The entries that the cache removes from now on, with the reasons. Entries that are replaced are not among them,
    /// nor those released with the cache itself.
    ///
    /// Each call returns a stream of its own. A stream that is not read holds the newest 16,384 removals.
    public var removals: AsyncStream<CacheRemoval<Key>> { listeners.makeStream() }

    /// Frees removed entries, and reports them to the listeners. No lock may be held: freeing may run code of the user.
    @inlinable
    func finish(_ dropped: Dropped) {
        if !listeners.isEmpty {
            // The eviction of what is only weakly held was reported before.
            for (entry, reason) in dropped.removals where entry.value != nil {
                if let key = entry.key, let reason { listeners.tell(CollectionOfOne(key.key), reason) }
            }
        }
        withExtendedLifetime(dropped) {}
    }
}
