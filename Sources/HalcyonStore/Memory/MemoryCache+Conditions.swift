extension MemoryCache {
    /// Stores a value as ``store(_:for:cost:expiration:)`` does, if `isAllowed` returns true.
    ///
    /// - Parameters:
    ///   - latest: the time at which it expires whatever extends its lifetime; nil, the default, is never.
    ///   - isAllowed: called once, after all changes that came before and before all that come after: under the lock of
    ///     changes. It must be quick, and lock nothing under which this cache is changed.
    /// - Returns: whether it was stored.
    @discardableResult
    @inlinable
    package func store(
        _ value: Value,
        for key: Key,
        cost: Int,
        expiration: Expiration? = nil,
        latest: Expiration? = nil,
        if isAllowed: () -> Bool
    ) -> Bool {
        let hash = key.hashValue
        let now = clock.monotonic()
        let lifetime = MemoryLifetime(expiration ?? self.expiration, clock: clock, at: now)
        let latest = latest.map { MemoryLifetime($0, clock: clock, at: now).expiresAt } ?? .max
        guard min(lifetime.expiresAt, latest) > now else {
            remove(for: key) { _ in isAllowed() }
            return false
        }
        return store(
            Entry(
                key: key,
                hash: hash,
                value: value,
                weak: weakReference?(value),
                cost: max(0, cost),
                expiresAt: lifetime.expiresAt,
                lifetime: lifetime.duration,
                latest: latest
            ),
            at: now,
            if: isAllowed
        )
    }

    /// Removes the value of a key if `isUnwanted` returns `true` for it, in one step with asking. What only a weak reference
    /// still finds is removed without asking.
    @inlinable
    package func remove(for key: Key, where isUnwanted: (Value) -> Bool) {
        let entry = ledger.withLock { () -> Entry? in
            let hash = key.hashValue
            let shard = shardIndex(for: hash)
            let value = withTable(shard) { table -> Value? in
                let place = table.find(key, hash: hash)
                return place < 0 ? nil : table.entries[place].value
            }
            if let value, !isUnwanted(value) { return nil }
            return removeEntry(for: key, hash: hash)
        }
        if entry?.value != nil { listeners.tell(CollectionOfOne(key), .removed) }
        withExtendedLifetime(entry) {}
    }
}
