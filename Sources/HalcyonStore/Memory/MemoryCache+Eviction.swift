extension MemoryCache {
    /// Stores an entry that holds a value, if `isAllowed` says so under the ledger's lock.
    @inlinable
    func store(_ entry: consuming Entry, at now: Int64, if isAllowed: () -> Bool = { true }) -> Bool {
        // What leaves the cache is freed after the locks are released: that may run code of the user, and takes long.
        var first: Entry?
        var dropped = Dropped()
        ledger.lock.acquire()
        sweepSome(at: now, into: &dropped)
        let outcome = isAllowed() ? replaceOrAdd(entry, at: now, dropping: &first, &dropped) : .refused
        let isFirst = outcome != .refused && !ledger.isSwept
        if isFirst { ledger.isSwept = true }
        ledger.lock.release()
        if isFirst { beginSweeping() }
        if !listeners.isEmpty {
            if let first, outcome != .replaced { dropped.append(first, outcome == .added ? .evicted : .removed) }
            tell(dropped)
        }
        withExtendedLifetime(first) {}
        withExtendedLifetime(dropped) {}
        return outcome != .refused
    }

    /// Puts an entry in the place of that with its key, or makes room for it. The ledger's lock must be held.
    ///
    /// - Parameters:
    ///   - first: what had the key, or had to make room: nearly always all that goes, and without an array for it a
    ///     store takes three quarters of the time.
    ///   - dropped: what else goes.
    @inlinable
    func replaceOrAdd(
        _ entry: consuming Entry,
        at now: Int64,
        dropping first: inout Entry?,
        _ dropped: inout Dropped
    ) -> MemoryStoreOutcome {
        let shard = shardIndex(for: entry.hash)
        let table = tables[shard]
        let place = table.find(entry.key, hash: entry.hash)
        guard entry.cost <= ledger.costLimit, ledger.countLimit > 0 else {
            if place >= 0 { first = removeEntry(at: place, of: shard) }
            // The caller has key and value; the weak reference has no other owner.
            if let weak = entry.weak { dropped.objects.append(weak.owner) }
            return .refused
        }
        if place >= 0 {
            let earlier = table.entries[place].cost
            if table.entries[place].value != nil, entry.cost <= ledger.costLimit - (ledger.cost - earlier) {
                ledger.cost += entry.cost - earlier
                ledger.lastSerial &+= 1
                gate.close(shard)
                first = table.replace(at: place, by: entry, serial: ledger.lastSerial)
                gate.open(shard)
                return .replaced
            }
            first = removeEntry(at: place, of: shard)
        } else if entry.cost > ledger.costLimit - ledger.cost || ledger.count >= ledger.countLimit {
            first = evictOne(at: now)
        }
        makeRoom(for: entry.cost, at: now, dropping: &dropped)
        add(entry)
        return place >= 0 ? .replaced : .added
    }

    /// Evicts until a value of this cost can be added, which alone must be within the limits. The ledger's lock must be
    /// held.
    @inlinable
    func makeRoom(for cost: Int, at now: Int64, dropping dropped: inout Dropped) {
        while cost > ledger.costLimit - ledger.cost || ledger.count >= ledger.countLimit {
            guard let victim = evictOne(at: now) else { break }
            dropped.append(victim, .evicted)
        }
    }

    /// Adds an entry for which there is room, and whose key is not in the table. The ledger's lock must be held.
    @inlinable
    func add(_ entry: consuming Entry) {
        ledger.cost += entry.cost
        ledger.count += 1
        ledger.lastSerial &+= 1
        let shard = shardIndex(for: entry.hash)
        gate.close(shard)
        tables[shard].add(entry, serial: ledger.lastSerial)
        gate.open(shard)
    }

    /// Takes the entry for a key out of its shard and out of the sums. The ledger's lock must be held.
    @inlinable
    func removeEntry(for key: Key, hash: Int) -> Entry? {
        let shard = shardIndex(for: hash)
        let place = withTable(shard) { $0.find(key, hash: hash) }
        return place < 0 ? nil : removeEntry(at: place, of: shard)
    }

    @inlinable
    func removeEntry(at place: Int, of shard: Int) -> Entry {
        let entry = change(shard) { $0.remove(at: place) }
        account(removed: entry)
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
    func evictOne(at now: Int64) -> Entry? {
        guard ledger.count > 0 else { return nil }
        // A table that a program fills with ever new keys must not grow with what it evicted; the sweep frees the dead.
        let keepsWeakly = weakReference != nil && ledger.weakCount < 1_024 + ledger.count
        // The rest of a round may hold only new entries, the next round clears the marks, and one more finds a victim
        // unless other threads set marks meanwhile; then anything goes.
        var visitedShards = 0
        var hand = ledger.evictionHand
        while visitedShards <= 4 * tables.count {
            if hand == MemoryLedger.Hand() { ledger.roundSerial = ledger.lastSerial }
            let newest = visitedShards > 3 * tables.count ? Int.max : ledger.roundSerial
            let shard = hand.shard
            let victim = withTable(shard) { $0.nextVictim(from: &hand.place, at: now, newest: newest) }
            if let victim {
                ledger.evictionHand = hand
                ledger.evictions += 1
                return evict(victim, of: shard, at: now, keepsWeakly: keepsWeakly)
            }
            hand = MemoryLedger.Hand(shard: (hand.shard + 1) % tables.count)
            visitedShards += 1
        }
        return nil
    }

    @inlinable
    func evict(_ place: Int, of shard: Int, at now: Int64, keepsWeakly: Bool) -> Entry {
        if keepsWeakly, let entry = change(shard, { $0.letGo(of: place, at: now) }) {
            account(removed: entry)
            ledger.weakCount += 1
            return entry
        }
        return removeEntry(at: place, of: shard)
    }

    /// Changes a limit and evicts until it holds.
    func setLimits(cost: Int? = nil, count: Int? = nil) {
        let now = clock.monotonic()
        var dropped = Dropped()
        ledger.withLock {
            if let cost { ledger.costLimit = max(0, cost) }
            if let count { ledger.countLimit = max(0, count) }
            while ledger.cost > ledger.costLimit || ledger.count > ledger.countLimit {
                guard let victim = evictOne(at: now) else { break }
                dropped.append(victim, .evicted)
            }
        }
        finish(dropped)
    }
}

extension MemoryTable {
    /// Walks the hand on, past the next place whose value is to be evicted, and returns that; nil at the end of the
    /// table.
    ///
    /// - Parameter newest: values with a higher serial number are spared; with `Int.max`, no value is.
    @inlinable
    func nextVictim(from place: inout Int, at now: Int64, newest: Int) -> Int? {
        while place < placeCount {
            let state = states + place
            let here = place
            place += 1
            guard state.pointee.isTaken, entries[here].value != nil else { continue }
            if newest == .max || state.pointee.expiresAt <= now { return here }
            if state.pointee.serial > newest { continue }
            guard state.pointee.isReferenced else { return here }
            state.pointee.isReferenced = false
        }
        return nil
    }

    /// Lets go of the value at a place whose entry has a weak reference, and returns the entry as it was; nil if it has
    /// none, or its time is over.
    @inlinable
    func letGo(of place: Int, at now: Int64) -> Entry? {
        guard entries[place].weak != nil, let entry = entry(at: place), entry.expiresAt > now else { return nil }
        entries[place].value = nil
        states[place].isReferenced = false
        return entry
    }
}
