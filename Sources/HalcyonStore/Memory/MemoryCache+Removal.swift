internal import HalcyonSystem

extension MemoryCache {
    /// Removes and returns the value for `key`; nil if there was none, or its time was over.
    @discardableResult
    @inlinable
    public func remove(for key: Key) -> Value? {
        guard let entry = removeEntry(for: HashedKey(key)) else { return nil }
        return entry.expiresAt > clock.monotonic() ? entry.value : nil
    }

    /// Removes the value of a key if `isUnwanted` returns `true` for it, in one step with asking. What only a weak reference
    /// still finds is removed without asking.
    @inlinable
    package func remove(for key: Key, where isUnwanted: (Value) -> Bool) {
        _ = removeEntry(for: HashedKey(key), where: isUnwanted)
    }

    /// - Parameter isUnwanted: called under the lock of changes. Default: the value is unwanted.
    @inlinable
    func removeEntry(for key: HashedKey<Key>, where isUnwanted: (Value) -> Bool = { _ in true }) -> Entry? {
        ledger.withLock { ledger in
            let value = withShard(of: key) { shard in shard.places[key].flatMap { shard.entries[$0].value } }
            if let value, !isUnwanted(value) { return nil }
            return remove(key, &ledger)
        }
    }

    /// Removes all values, including those that are only weakly held.
    public func removeAll() {
        // Named, so that what they held is freed after the locks are released.
        let emptied = ledger.withLock { ledger in
            (ledger.cost, ledger.count, ledger.weakCount) = (0, 0, 0)
            return shards.map { shard in shard.withLock { $0.takeAll() } }
        }
        withExtendedLifetime(emptied) {}
    }

    /// Removes the values whose keys satisfy a predicate. Complexity: O(n).
    ///
    /// - Parameter isUnwanted: called with no lock held.
    /// - Returns: the number of values removed.
    @discardableResult
    public func removeAll(where isUnwanted: (Key) -> Bool) -> Int {
        keys(where: isUnwanted).count { removeEntry(for: HashedKey($0))?.value != nil }
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
}
