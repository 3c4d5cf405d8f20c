extension MemoryCache {
    /// Stores an entry that holds a value.
    @inlinable
    func insert(_ entry: Entry) -> Bool {
        // What leaves the cache is freed after the locks are released: that may run code of the user, and takes long.
        var dropped = Dropped()
        var isFirst = false
        let isStored = ledger.withLock {
            sweepSome(into: &dropped.expired)
            let old = removeEntry(entry.key, hash: entry.hash)
            guard entry.cost <= ledger.costLimit, ledger.countLimit > 0 else {
                if let old { dropped.removed.append(old) }
                return false
            }
            if let old { dropped.replaced.append(old) }
            add(entry, dropping: &dropped)
            isFirst = !ledger.isSwept
            ledger.isSwept = true
            return true
        }
        if isFirst { beginSweeping() }
        finish(dropped)
        return isStored
    }

    /// Makes room for an entry and adds it. The ledger's lock must be held, the key must not be in the table, and the
    /// entry alone must be within the limits.
    @inlinable
    func add(_ entry: Entry, dropping dropped: inout Dropped) {
        while entry.cost > ledger.costLimit - ledger.cost || ledger.count >= ledger.countLimit {
            guard let victim = evictOne() else { break }
            dropped.evicted.append(victim)
        }
        ledger.cost += entry.cost
        ledger.count += 1
        ledger.lastSerial &+= 1
        var entry = entry
        entry.serial = ledger.lastSerial
        shard(for: entry.hash).withLock { $0.insert(entry) }
    }

    /// Takes the entry for a key out of its shard and out of the sums. The ledger's lock must be held.
    @inlinable
    func removeEntry(_ key: Key, hash: Int) -> Entry? {
        let entry = shard(for: hash).withLock { table -> Entry? in
            let place = table.find(key, hash: hash)
            return place < 0 ? nil : table.remove(at: place)
        }
        if let entry { account(removed: entry) }
        return entry
    }

    @inlinable
    func account(removed entry: Entry) {
        if entry.value != nil {
            ledger.cost -= entry.cost
            ledger.count -= 1
        } else {
            ledger.weakCount -= 1
        }
    }

    /// Takes out the next value that was not used since the hand last passed, or whose time is over; what has a weak
    /// reference stays in the table without its value. Returns the entry as it was. The ledger's lock must be held.
    ///
    /// Complexity: amortised O(1); O(n) if every value was used.
    @inlinable
    func evictOne() -> Entry? {
        guard ledger.count > 0 else { return nil }
        let now = clock.monotonic()
        // A table that a program fills with ever new keys must not grow with what it evicted; the sweep frees the dead.
        let keepsWeakly = ledger.weakCount < 1_024 + ledger.count
        // The rest of a round may hold only new entries, the next round clears the marks, and one more finds a victim
        // unless other threads set marks meanwhile; then anything goes.
        var visitedShards = 0
        var hand = ledger.evictionHand
        while visitedShards <= 4 * shards.count {
            if hand == MemoryLedger.Hand() { ledger.roundSerial = ledger.lastSerial }
            let newest = visitedShards > 3 * shards.count ? Int.max : ledger.roundSerial
            let victim = shards[hand.shard].withLock { table in
                table.evict(from: &hand.place, at: now, newest: newest, keepsWeakly: keepsWeakly)
            }
            if let victim {
                ledger.evictionHand = hand
                ledger.evictions += 1
                account(removed: victim.entry)
                ledger.weakCount += victim.isKeptWeakly ? 1 : 0
                return victim.entry
            }
            hand = MemoryLedger.Hand(shard: (hand.shard + 1) % shards.count)
            visitedShards += 1
        }
        return nil
    }

    /// Changes a limit and evicts until it holds.
    func setLimits(cost: Int? = nil, count: Int? = nil) {
        var dropped = Dropped()
        ledger.withLock {
            if let cost { ledger.costLimit = max(0, cost) }
            if let count { ledger.countLimit = max(0, count) }
            while ledger.cost > ledger.costLimit || ledger.count > ledger.countLimit {
                guard let victim = evictOne() else { break }
                dropped.evicted.append(victim)
            }
        }
        finish(dropped)
    }
}

extension MemoryTable {
    /// Walks the hand on to the next value to evict and takes it out; nil at the end of the table.
    ///
    /// - Parameter newest: values with a higher serial number are spared; with `Int.max`, no value is.
    @inlinable
    func evict(
        from place: inout Int,
        at now: Int64,
        newest: Int,
        keepsWeakly: Bool
    ) -> (entry: Entry, isKeptWeakly: Bool)? {
        while place < placeCount {
            defer { place += 1 }
            guard isTaken[place], entries[place].value != nil else { continue }
            let isExpired = entries[place].expiresAt <= now
            if !isExpired, newest != .max {
                if entries[place].serial > newest { continue }
                if entries[place].isReferenced {
                    entries[place].isReferenced = false
                    continue
                }
            }
            if keepsWeakly, !isExpired, entries[place].weak != nil {
                let entry = entries[place]
                entries[place].value = nil
                entries[place].isReferenced = false
                return (entry, true)
            }
            return (remove(at: place), false)
        }
        return nil
    }
}
