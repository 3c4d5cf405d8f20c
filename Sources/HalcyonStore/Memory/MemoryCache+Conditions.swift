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
            remove(for: key, if: isAllowed)
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

    /// Returns the time at which the value for `key` expires whatever extends its lifetime, as a date; nil if there is
    /// no such time, or no value.
    package func latestExpiration(of key: Key) -> Expiration? {
        let hash = key.hashValue
        let shard = shardIndex(for: hash)
        let slot = gate.enter(shard)
        let latest = withTable(shard) { table -> Int64 in
            let place = table.find(key, hash: hash)
            return place < 0 ? .max : table.entries[place].latest
        }
        gate.leave(slot, with: .other)
        guard latest < .max else { return nil }
        let seconds = Double(latest) / 1e9 - Double(clock.monotonic()) / 1e9
        return .date(clock.now().addingTimeInterval(seconds))
    }

    /// Removes the value for `key`, if `isAllowed` returns true, which is called as for
    /// ``store(_:for:cost:expiration:latest:if:)``.
    @inlinable
    package func remove(for key: Key, if isAllowed: () -> Bool) {
        let entry = ledger.withLock { isAllowed() ? removeEntry(for: key, hash: key.hashValue) : nil }
        if entry?.value != nil { listeners.tell(CollectionOfOne(key), .removed) }
        withExtendedLifetime(entry) {}
    }
}
