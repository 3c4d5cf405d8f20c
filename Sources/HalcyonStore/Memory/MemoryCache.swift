public import HalcyonSystem

/// A cache in memory with exact cost and count limits, expiry and second-chance eviction.
///
/// - A hit locks one of 16 shards, chosen by the hash of the key, and allocates nothing.
/// - Changes are serialised, so the limits are exact: no store returns while the sum of the costs is above the limit.
/// - When a limit is reached, the values go that were not used since the eviction hand last passed them (the CLOCK
///   algorithm: about the least recently used, without a list to keep in order).
/// - With a `weakReference`, an evicted value is still found for as long as something else keeps its object alive. It
///   then takes its place again.
/// - Each store sweeps a few entries that expired, ``removeExpired()`` sweeps all. So does a task that sleeps for
///   ``sweepInterval`` in between; an empty cache has none.
///
/// Keys should carry a good hash that is cheap, such as a digest. Everything on the way of a hit is inlinable, because
/// a generic cache that is not specialised for its key takes four times as long.
public final class MemoryCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    @usableFromInline typealias Entry = MemoryEntry<Key, Value>
    @usableFromInline typealias Shard = MemoryShard<Key, Value>
    @usableFromInline typealias Dropped = DroppedEntries<Key, Value>

    @usableFromInline let shards: [Lock<Shard>]
    /// Held during each change of the set of entries, and taken before the lock of a shard.
    @usableFromInline let ledger: Lock<MemoryLedger>
    @usableFromInline let clock: StoreClock
    let sweepTask: SweepTask
    @usableFromInline let expiration: Expiration
    @usableFromInline let weakReference: (@Sendable (Value) -> WeakValue<Value>?)?

    /// Makes an empty cache.
    ///
    /// - Parameters:
    ///   - costLimit: the sum of the costs, in bytes; default a quarter of the memory this process may use.
    ///   - countLimit: the number of values; default no limit.
    ///   - expiration: the lifetime of a value stored without its own; default 300 seconds.
    ///   - sweepInterval: the interval at which expired entries are swept while the cache is not empty; nil is never.
    ///     Default 2 minutes.
    ///   - clock: the clock of expiry. Default: the system's.
    ///   - sweepClock: the clock that the sweep sleeps by. Default: the system's.
    ///   - weakReference: makes a weak reference of a value that is stored; nil for a value that has none. Default: an
    ///     evicted value is gone.
    public init(
        costLimit: Int = SystemMemory().defaultCostLimit,
        countLimit: Int = .max,
        expiration: Expiration = .seconds(300),
        sweepInterval: Duration? = .seconds(120),
        clock: StoreClock = .system,
        sweepClock: any Clock<Duration> = ContinuousClock(),
        weakReference: (@Sendable (Value) -> WeakValue<Value>?)? = nil
    ) {
        shards = (0..<16).map { _ in Lock(Shard()) }
        ledger = Lock(MemoryLedger(costLimit: costLimit, countLimit: countLimit))
        self.expiration = expiration
        self.clock = clock
        sweepTask = SweepTask(interval: sweepInterval, clock: sweepClock)
        self.weakReference = weakReference
    }

    /// The highest sum of costs, in bytes. Lowering it evicts at once.
    public var costLimit: Int {
        get { ledger.withLock { $0.costLimit } }
        set {
            evict { ledger in
                ledger.costLimit = max(0, newValue)
                return ledger.isAboveLimit
            }
        }
    }

    /// The highest number of values. Lowering it evicts at once.
    public var countLimit: Int {
        get { ledger.withLock { $0.countLimit } }
        set {
            evict { ledger in
                ledger.countLimit = max(0, newValue)
                return ledger.isAboveLimit
            }
        }
    }

    /// Returns the value for `key`; nil if there is none, or it has expired. Complexity: O(1).
    ///
    /// - Parameter extending: the effect of the access on its expiry; default: its lifetime starts again.
    @inlinable
    public func entry(for key: Key, extending: ExpirationExtension = .originalLifetime) -> Value? {
        let key = HashedKey(key)
        let now = clock.monotonic()
        var end = Int64.max
        // The clock may be code of the user, so it is asked with no lock held.
        if case .to(let expiration) = extending { end = MemoryLifetime(expiration, clock: clock, at: now).expiresAt }
        var mayBeHeldWeakly = false
        let value = withShard(of: key) { shard -> Value? in
            guard let place = shard.places[key], now < shard.entries[place].expiresAt else {
                shard.misses += 1
                return nil
            }
            if let value = shard.use(place, at: now, extending, end: end) { return value }
            // Counted later: the weak tier has the last word.
            mayBeHeldWeakly = true
            return nil
        }
        return mayBeHeldWeakly ? weaklyHeldValue(for: key, at: now, extending, end: end) : value
    }

    /// Returns whether ``entry(for:extending:)`` would find a value. Changes neither expiry nor order nor statistics.
    @inlinable
    public func contains(_ key: Key) -> Bool {
        let key = HashedKey(key)
        let now = clock.monotonic()
        let found = withShard(of: key) { shard -> (isHeld: Bool, weak: WeakValue<Value>?) in
            guard let place = shard.places[key], now < shard.entries[place].expiresAt else { return (false, nil) }
            return shard.entries[place].value != nil ? (true, nil) : (false, shard.entries[place].weak)
        }
        return found.isHeld || found.weak?.object() != nil
    }

    /// Stores a value, replacing that of its key.
    ///
    /// A value whose cost alone is above the limit, or that has expired already, is not stored; the earlier value is
    /// removed all the same, because it was to be replaced.
    ///
    /// - Parameters:
    ///   - cost: the number of bytes that the value holds; below zero counts as zero.
    ///   - expiration: its lifetime; default that of the cache.
    /// - Returns: whether it was stored.
    @discardableResult
    @inlinable
    public func store(_ value: Value, for key: Key, cost: Int, expiration: Expiration? = nil) -> Bool {
        store(value, for: key, cost: cost, expiration: expiration, latest: nil) { true }
    }

    /// Stores a value as ``store(_:for:cost:expiration:)`` does, if `isAllowed` returns true.
    ///
    /// - Parameters:
    ///   - latest: the time at which it expires whatever extends its lifetime; nil, the default, is never.
    ///   - isAllowed: called once, after all changes that came before and before all that come after: under the lock of
    ///     changes. It must be quick, and lock nothing under which this cache is changed.
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
        let key = HashedKey(key)
        let now = clock.monotonic()
        let lifetime = MemoryLifetime(expiration ?? self.expiration, clock: clock, at: now)
        var entry = Entry()
        entry.key = key
        entry.value = value
        entry.weak = weakReference?(value)
        entry.cost = max(0, cost)
        entry.latest = latest.map { MemoryLifetime($0, clock: clock, at: now).expiresAt } ?? .max
        entry.expiresAt = min(lifetime.expiresAt, entry.latest)
        entry.lifetime = lifetime.duration
        // Removed entries are freed after the locks are released: that may run code of the user, and takes long.
        var dropped = Dropped()
        let (isStored, isFirst) = ledger.withLock { ledger in
            ledger.sweepHand = sweep(from: ledger.sweepHand, steps: 4, at: now, &ledger, into: &dropped)
            guard isAllowed(), replaceOrAdd(entry, for: key, at: now, &ledger, into: &dropped) else {
                return (false, false)
            }
            let isFirst = !ledger.isSwept
            ledger.isSwept = true
            return (true, isFirst)
        }
        if isFirst { beginSweeping() }
        withExtendedLifetime((dropped, entry)) {}
        return isStored
    }

    /// Replaces the entry with the same key, or makes room for a new one. Returns whether it is within the limits.
    @inlinable
    func replaceOrAdd(
        _ entry: Entry,
        for key: HashedKey<Key>,
        at now: Int64,
        _ ledger: inout MemoryLedger,
        into dropped: inout Dropped
    ) -> Bool {
        guard entry.cost <= ledger.costLimit, ledger.countLimit > 0, entry.expiresAt > now else {
            if let earlier = remove(key, &ledger) { dropped.entries.append(earlier) }
            return false
        }
        let numbered = ledger.numbered(entry)
        let room = ledger.costLimit - ledger.cost
        // In one step where no other has to go, so that a look-up meanwhile finds either.
        let replaced = withShard(of: key) { shard -> Entry? in
            guard let place = shard.places[key], shard.entries[place].value != nil,
                entry.cost - shard.entries[place].cost <= room
            else { return nil }
            return shard.replace(at: place, by: numbered)
        }
        if let replaced {
            ledger.cost += entry.cost - replaced.cost
            dropped.entries.append(replaced)
            return true
        }
        if let earlier = remove(key, &ledger) { dropped.entries.append(earlier) }
        add(entry, for: key, at: now, &ledger, into: &dropped)
        return true
    }

    /// Evicts until there is room, and adds an entry that alone is within the limits, and whose key is not there.
    @inlinable
    func add(
        _ entry: Entry,
        for key: HashedKey<Key>,
        at now: Int64,
        _ ledger: inout MemoryLedger,
        into dropped: inout Dropped
    ) {
        while !ledger.hasRoom(for: entry.cost), evictOne(at: now, &ledger, into: &dropped) {}
        ledger.cost += entry.cost
        ledger.count += 1
        // Numbered last: in the round that begins while room is made, it is a later one.
        let numbered = ledger.numbered(entry)
        withShard(of: key) { $0.add(numbered) }
    }

    /// Lends the shard of a key, which the array keeps alive: to count a reference to it would take as long as the look-up.
    @inlinable
    @inline(__always)
    func withShard<Result>(of key: HashedKey<Key>, _ body: (inout Shard) -> Result) -> Result {
        Unmanaged.passUnretained(shards[shardIndex(of: key)])._withUnsafeGuaranteedRef { $0.withLock(body) }
    }

    /// The dictionary of a shard uses the low bits of the hash, so this takes the high ones.
    @inlinable
    func shardIndex(of key: HashedKey<Key>) -> Int {
        Int(UInt(bitPattern: key.hash) >> (UInt.bitWidth - 4))
    }

    /// The present state and the history since the cache was made.
    public var statistics: MemoryCacheStatistics {
        ledger.withLock { ledger in
            var (hits, misses) = (0, 0)
            for shard in shards {
                shard.withLock { shard in
                    hits += shard.hits
                    misses += shard.misses
                }
            }
            return MemoryCacheStatistics(
                count: ledger.count,
                cost: ledger.cost,
                hits: hits,
                misses: misses,
                evictions: ledger.evictions,
                expirations: ledger.expirations,
                weakCount: ledger.weakCount
            )
        }
    }
}

/// The state and the history of a memory cache.
public struct MemoryCacheStatistics: Sendable, Hashable {
    /// Entries that hold a value, expired ones that were not yet swept included.
    public let count: Int
    /// The sum of their costs, in bytes.
    public let cost: Int
    /// Look-ups that found a value, the weak tier included.
    public let hits: Int
    /// Look-ups that found none, or one that had expired.
    public let misses: Int
    /// Values dropped to keep a limit.
    public let evictions: Int
    /// Values dropped because their time was over.
    public let expirations: Int
    /// Evicted entries that are found again if something else keeps their object alive.
    public let weakCount: Int
}
