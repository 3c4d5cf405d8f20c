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
