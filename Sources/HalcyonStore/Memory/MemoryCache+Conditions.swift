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

    /// Returns the value for `key` as ``entry(for:extending:)`` does, with the time at which it expires whatever extends
    /// its lifetime, as a date; nil if there is no such time. Both are of one store: another value may take its place at
    /// any moment.
    package func entryAndLatest(
        for key: Key,
        extending: ExpirationExtension = .originalLifetime
    ) -> (value: Value, latest: Expiration?)? {
        let hash = key.hashValue
        let now = clock.monotonic()
        let shard = shardIndex(for: hash)
        let slot = gate.enter(shard)
        let found = withTable(shard) { table -> (value: Value, latest: Int64)? in
            let place = table.find(key, hash: hash)
            guard place >= 0, let value = table.use(place, at: now, extending: extending, clock: clock) else {
                return nil
            }
            return (value, table.entries[place].latest)
        }
        // The weak tier counts the misses that it has the last word on.
        gate.leave(slot, with: found != nil ? .hit : weakReference == nil ? .miss : .other)
        if let found { return (found.value, expiration(at: found.latest)) }
        guard weakReference != nil, let entry = weaklyHeldEntry(for: key, hash: hash, at: now) else { return nil }
        return entry.value.map { ($0, expiration(at: entry.latest)) }
    }

    /// Returns a time of the monotonic clock as a date; nil for never.
    private func expiration(at time: Int64) -> Expiration? {
        guard time < .max else { return nil }
        let seconds = Double(time) / 1e9 - Double(clock.monotonic()) / 1e9
        return .date(clock.now().addingTimeInterval(seconds))
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
