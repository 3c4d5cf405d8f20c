extension MemoryCache {
    /// Removes the entry for a key from its shard and from the sums.
    @inlinable
    func remove(_ key: HashedKey<Key>, _ ledger: inout MemoryLedger) -> Entry? {
        let entry = withShard(of: key) { shard in shard.places[key].map { shard.remove(at: $0) } }
        if let entry { ledger.subtract(entry) }
        return entry
    }

    /// Evicts the next value that was not used since the hand last passed, or has expired; an entry with a weak
    /// reference stays in its shard without its value. Returns whether there was any.
    ///
    /// Complexity: amortised O(1); O(n) if every value was used.
    @inlinable
    func evictOne(at now: Int64, _ ledger: inout MemoryLedger, into dropped: inout Dropped) -> Bool {
        guard ledger.count > 0 else { return false }
        // A table that a program fills with ever new keys must not grow with what it evicted; the sweep frees the dead.
        let keepsWeakly = ledger.weakCount < 1_024 + ledger.count
        // The rest of a round may hold only new entries, the next round clears the marks, and one more finds a victim
        // unless other threads set marks meanwhile; then anything goes.
        for visited in 0...4 * shards.count {
            if ledger.evictionHand.isAtStart { ledger.roundSerial = ledger.lastSerial }
            let newest = visited > 3 * shards.count ? Int.max : ledger.roundSerial
            let evicted = shards[ledger.evictionHand.shard].withLock { shard in
                shard.evict(from: &ledger.evictionHand.place, at: now, newest: newest, keepsWeakly: keepsWeakly)
            }
            if let (entry, stays) = evicted {
                ledger.subtract(entry)
                if stays { ledger.weakCount += 1 }
                ledger.evictions += 1
                dropped.entries.append(entry)
                return true
            }
            ledger.evictionHand = .init(shard: (ledger.evictionHand.shard + 1) % shards.count)
        }
        return false
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

    /// Evicts while a condition holds.
    func evict(while isAboveLimit: (inout MemoryLedger) -> Bool) {
        let now = clock.monotonic()
        var dropped = Dropped()
        ledger.withLock { ledger in
            while isAboveLimit(&ledger), evictOne(at: now, &ledger, into: &dropped) {}
        }
        withExtendedLifetime(dropped) {}
    }

    /// Finds an evicted value by its weak reference and gives it its place back.
    ///
    /// - Parameter end: the new expiry where `extending` gives one.
    @usableFromInline
    func weaklyHeldValue(
        for key: HashedKey<Key>,
        at now: Int64,
        _ extending: ExpirationExtension,
        end: Int64
    ) -> Value? {
        let found = withShard(of: key) { shard in shard.places[key].map { shard.entries[$0] } }
        // The value is there if another thread gave it its place back since the caller looked. Rebuilding calls the
        // user's function, so no lock is held.
        let value = found.flatMap { now < $0.expiresAt ? $0.value ?? $0.weak?.resolve() : nil }
        withShard(of: key) { shard in
            if value == nil { shard.misses += 1 } else { shard.hits += 1 }
        }
        guard let value, var entry = found, entry.value == nil else { return value }
        entry.expiresAt = entry.extended(at: now, extending, end: end)
        entry.value = value
        restore(entry, for: key, at: now)
        return value
    }

    /// Puts a value found by its weak reference back, unless the entry was removed, replaced or put back meanwhile.
    private func restore(_ entry: Entry, for key: HashedKey<Key>, at now: Int64) {
        var dropped = Dropped()
        ledger.withLock { ledger in
            guard entry.cost <= ledger.costLimit, ledger.countLimit > 0 else { return }
            let isThere = withShard(of: key) { shard in
                guard let place = shard.places[key] else { return false }
                return shard.entries[place].serial == entry.serial && shard.entries[place].value == nil
            }
            guard isThere, let earlier = remove(key, &ledger) else { return }
            dropped.entries.append(earlier)
            add(entry, for: key, at: now, &ledger, into: &dropped)
        }
        withExtendedLifetime(dropped) {}
    }
}
