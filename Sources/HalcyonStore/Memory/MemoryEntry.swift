/// One entry of a memory cache. What a hit reads comes first, so that it lies in as few lines of the processor's cache as
/// possible.
@usableFromInline
struct MemoryEntry<Key: Hashable & Sendable, Value: Sendable> {
    @usableFromInline let key: Key
    /// Nil when the entry was evicted and only `weak` may still find it.
    @usableFromInline var value: Value?
    /// The lifetime that an access restarts, in nanoseconds; 0 if an access restarts nothing.
    @usableFromInline var lifetime: Int64
    /// The time at which it expires whatever extends it, in nanoseconds on the monotonic clock; `Int64.max` is never.
    @usableFromInline let latest: Int64
    @usableFromInline let hash: Int
    /// Made when the value is stored, so that no code of the user runs while it is evicted.
    @usableFromInline let weak: WeakValue<Value>?
    @usableFromInline var cost: Int
    /// Nanoseconds on the monotonic clock; `Int64.max` is never. While the entry is in a table, its state has the time.
    @usableFromInline var expiresAt: Int64
    /// The number of its store, in a copy of an entry that is in a table.
    @usableFromInline var serial = 0

    @inlinable
    init(
        key: Key,
        hash: Int,
        value: Value?,
        weak: WeakValue<Value>?,
        cost: Int,
        expiresAt: Int64,
        lifetime: Int64,
        latest: Int64 = .max
    ) {
        self.key = key
        self.hash = hash
        self.value = value
        self.weak = weak
        self.cost = cost
        self.expiresAt = min(expiresAt, latest)
        self.latest = latest
        self.lifetime = lifetime
    }
}
