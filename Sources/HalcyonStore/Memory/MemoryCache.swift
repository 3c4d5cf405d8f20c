/// A cache in memory with exact cost and count limits, expiry and second-chance eviction.
///
/// - A hit counts itself in at one of 16 shards for a look-up and at most two stores; it allocates nothing, and threads
///   that hit at the same time do not wait for each other.
/// - Changes are serialised, so the limits are exact: no moment exists at which the sum of the costs is above the
///   limit.
/// - When a limit is reached, the values go that were not used since the eviction hand last passed them (the CLOCK
///   algorithm: least recently used, without a list to keep in order).
/// - With a `weakReference`, an evicted value is still found for as long as something else keeps its object alive. It
///   then takes its place again.
/// - Each store sweeps a few entries that expired, ``removeExpired()`` sweeps all. So does a task that sleeps for
///   ``sweepInterval`` in between; an empty cache has none.
///
/// Keys should carry a good hash that is cheap, such as a digest. Everything on the way of a hit is inlinable, because
/// a generic cache that is not specialised for its key takes four times as long.
public final class MemoryCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    @usableFromInline typealias Table = MemoryTable<Key, Value>
    @usableFromInline typealias Entry = MemoryEntry<Key, Value>
    @usableFromInline typealias Dropped = DroppedEntries<Key, Value>

    /// The tables of the shards. Unchecked: a table is only read between `enter` and `leave` of the gate, or under the
    /// ledger's lock, and only changed under that lock while the gate is closed; its states are atomic.
    @usableFromInline nonisolated(unsafe) let tables: [Table]
    @usableFromInline let gate: ShardGate
    @usableFromInline let ledger: MemoryLedger
    @usableFromInline let clock: StoreClock
    let sweep: MemorySweep
    @usableFromInline let listeners = RemovalListeners<Key>()
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
        tables = (0..<16).map { _ in Table() }
        ledger = MemoryLedger(costLimit: max(0, costLimit), countLimit: max(0, countLimit))
        gate = ShardGate(shardCount: tables.count, changes: ledger.lock)
        self.expiration = expiration
        self.clock = clock
        sweep = MemorySweep(task: SweepTask(interval: sweepInterval, clock: sweepClock))
        self.weakReference = weakReference
    }

    /// The highest sum of costs, in bytes. Lowering it evicts at once.
    public var costLimit: Int {
        get { ledger.withLock { ledger.costLimit } }
        set { setLimits(cost: newValue) }
    }

    /// The highest number of values. Lowering it evicts at once.
    public var countLimit: Int {
        get { ledger.withLock { ledger.countLimit } }
        set { setLimits(count: newValue) }
    }

    /// Returns the value for `key`; nil if there is none, or it has expired. Complexity: O(1).
    ///
    /// - Parameter extending: the effect of the access on its expiry; default: its lifetime starts again.
    @inlinable
    public func entry(for key: Key, extending: ExpirationExtension = .originalLifetime) -> Value? {
        let hash = key.hashValue
        let now = clock.monotonic()
        let shard = shardIndex(for: hash)
        let slot = gate.enter(shard)
        var mayBeHeldWeakly = false
        let value = withTable(shard) { table -> Value? in
            let place = table.find(key, hash: hash)
            if place >= 0, let value = table.use(place, at: now, extending: extending, clock: clock) {
                gate.leave(slot, with: .hit)
                return value
            }
            // Counted later where the weak tier has the last word.
            mayBeHeldWeakly = place >= 0 && weakReference != nil
            gate.leave(slot, with: mayBeHeldWeakly ? .other : .miss)
            return nil
        }
        if value != nil || !mayBeHeldWeakly { return value }
        return weaklyHeldValue(for: key, hash: hash, at: now)
    }

    /// Returns whether ``entry(for:extending:)`` would find a value. Changes neither expiry nor order nor statistics.
    @inlinable
    public func contains(_ key: Key) -> Bool {
        let hash = key.hashValue
        let now = clock.monotonic()
        let shard = shardIndex(for: hash)
        let slot = gate.enter(shard)
        let found = withTable(shard) { table -> (isHeld: Bool, weak: WeakValue<Value>?) in
            let place = table.find(key, hash: hash)
            guard place >= 0, now < table.states[place].expiresAt else { return (false, nil) }
            return (table.entries[place].value != nil, table.entries[place].weak)
        }
        gate.leave(slot, with: .other)
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
        let hash = key.hashValue
        let now = clock.monotonic()
        let lifetime = MemoryLifetime(expiration ?? self.expiration, clock: clock, at: now)
        guard lifetime.expiresAt > now else {
            remove(for: key)
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
                lifetime: lifetime.duration
            ),
            at: now
        )
    }

    /// Lends a shard's table, which the array keeps alive: retaining it would cost a reader as much as the look-up.
    @inlinable
    @inline(__always)
    func withTable<Result>(_ shard: Int, _ body: (Table) -> Result) -> Result {
        tables.withUnsafeBufferPointer { tables in
            Unmanaged.passUnretained(tables[shard])._withUnsafeGuaranteedRef(body)
        }
    }

    /// Lends a shard's table to be changed. The ledger's lock must be held.
    @inlinable
    @inline(__always)
    func change<Result>(_ shard: Int, _ body: (Table) -> Result) -> Result {
        gate.close(shard)
        defer { gate.open(shard) }
        return withTable(shard, body)
    }

    /// The shard of a hash. The table uses its low bits, so this takes the high ones.
    @inlinable
    func shardIndex(for hash: Int) -> Int {
        Int(UInt(bitPattern: hash) >> (UInt.bitWidth - 4))
    }
}
