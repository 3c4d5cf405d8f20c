internal import HalcyonSystem

extension MemoryCache {
    /// Removes expired entries, and evicted ones that can no longer be found. Complexity: O(n).
    public func removeExpired() {
        let now = clock.monotonic()
        for index in shards.indices {
            // Shard by shard, so that the objects looked at are not kept for long.
            var dropped = Dropped()
            ledger.withLock { ledger in
                _ = sweep(from: .init(shard: index), steps: .max, at: now, &ledger, into: &dropped)
            }
            withExtendedLifetime(dropped) {}
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
        let count = dropped.entries.count
        let isDone = shards[hand.shard].withLock { shard in
            shard.sweep(from: &hand.place, steps: steps, at: now, into: &dropped)
            return hand.place >= shard.entries.count
        }
        for entry in dropped.entries[count...] {
            if entry.value != nil { ledger.expirations += 1 }
            ledger.subtract(entry)
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
}

extension MemoryShard {
    /// Returns the value of the entry at a place, marked as used and extended; `nil` if it is not held.
    ///
    /// - Parameter end: the new expiry where `extending` gives one.
    @inlinable
    mutating func use(_ place: Int, at now: Int64, _ extending: ExpirationExtension, end: Int64) -> Value? {
        guard let value = entries[place].value else { return nil }
        hits += 1
        let expiresAt = entries[place].extended(at: now, extending, end: end)
        // Written only if it changes: else threads that read take its line of the processor's cache from each other.
        if !entries[place].isUsed || entries[place].expiresAt != expiresAt {
            entries[place].isUsed = true
            entries[place].expiresAt = expiresAt
        }
        return value
    }

    /// Walks the hand over so many places and removes the entries that have expired, or whose object is gone.
    ///
    /// - Parameter dropped: receives them, and objects of weak references that were read: reading retains an object, and
    ///   if its other owners release it meanwhile, its `deinit` runs where `dropped` is released.
    @inlinable
    mutating func sweep(from hand: inout Int, steps: Int, at now: Int64, into dropped: inout DroppedEntries<Key, Value>)
    {
        let end = steps < entries.count - hand ? hand + steps : entries.count
        while hand < end {
            let place = hand
            hand += 1
            guard entries[place].key != nil else { continue }
            if entries[place].expiresAt > now {
                if entries[place].value != nil { continue }
                if let object = entries[place].weak?.object() {
                    dropped.objects.append(object)
                    continue
                }
            }
            dropped.entries.append(remove(at: place))
        }
    }
}

extension MemoryEntry {
    /// The time at which it expires after an access that restarts its lifetime.
    @inlinable
    func extended(at now: Int64) -> Int64 {
        guard lifetime > 0 else { return expiresAt }
        let (sum, overflows) = now.addingReportingOverflow(lifetime)
        return min(overflows ? .max : sum, latest)
    }

    /// The time at which it expires after an access.
    ///
    /// - Parameter end: the new expiry where `extending` gives one.
    @inlinable
    @inline(__always)
    func extended(at now: Int64, _ extending: ExpirationExtension, end: Int64) -> Int64 {
        let latest = latest
        return extending.expiry(restarted: extended(at: now), given: { _ in min(end, latest) }) ?? expiresAt
    }
}

/// The time at which an entry expires, in nanoseconds of the monotonic clock.
@usableFromInline
struct MemoryLifetime {
    /// `Int64.max` is never.
    @usableFromInline let expiresAt: Int64
    /// The lifetime that an access restarts; 0 if it restarts nothing.
    @usableFromInline let duration: Int64

    @usableFromInline
    init(_ expiration: Expiration, clock: StoreClock, at now: Int64) {
        if case .never = expiration {
            (expiresAt, duration) = (.max, 0)
            return
        }
        let seconds = expiration.interval(since: expiration.isRelative ? .distantPast : clock.now())
        // Clamped to what Int64 holds; 2^63 nanoseconds are 292 years.
        guard seconds > 0, seconds < 9e9 else {
            (expiresAt, duration) = (seconds > 0 ? .max : .min, 0)
            return
        }
        let nanoseconds = Int64(seconds * 1e9)
        let (sum, overflows) = now.addingReportingOverflow(nanoseconds)
        (expiresAt, duration) = (overflows ? .max : sum, expiration.isRelative ? nanoseconds : 0)
    }
}
