/// One entry of a memory cache.
@usableFromInline
struct MemoryEntry<Key: Hashable & Sendable, Value: Sendable> {
    // What a hit reads comes first, so that it lies in few lines of the processor's cache.
    /// `nil` once the entry was evicted and only `weak` may still find it.
    @usableFromInline var value: Value?
    /// The time at which it expires, in nanoseconds of the monotonic clock; `Int64.max` is never.
    @usableFromInline var expiresAt = Int64.max
    /// The time at which it expires whatever extends its lifetime.
    @usableFromInline var latest = Int64.max
    /// The lifetime that an access restarts, in nanoseconds; 0 if an access restarts nothing.
    @usableFromInline var lifetime: Int64 = 0
    /// Set by a hit, cleared by the eviction hand when it passes: the second chance.
    @usableFromInline var isUsed = false
    /// `nil` at a free place of a shard.
    @usableFromInline var key: HashedKey<Key>?
    /// Made when the value is stored, so that no code of the user runs while it is evicted.
    @usableFromInline var weak: WeakValue<Value>?
    @usableFromInline var cost = 0
    /// The number of its store: it distinguishes an evicted entry from a later one with its key.
    @usableFromInline var serial = 0

    @inlinable
    init() {}
}

/// A key with its hash, which chooses the shard and the place there: hashing it anew for each takes as long as the rest of a
/// look-up.
@usableFromInline
struct HashedKey<Key: Hashable & Sendable>: Hashable, Sendable {
    @usableFromInline let key: Key
    @usableFromInline let hash: Int

    @inlinable
    init(_ key: Key) {
        self.key = key
        hash = key.hashValue
    }

    @inlinable
    static func == (left: HashedKey, right: HashedKey) -> Bool { left.hash == right.hash && left.key == right.key }

    @inlinable
    func hash(into hasher: inout Hasher) { hasher.combine(hash) }

    /// What a dictionary calls, by default with a hasher of its own.
    @inlinable
    func _rawHashValue(seed: Int) -> Int { hash }
}
