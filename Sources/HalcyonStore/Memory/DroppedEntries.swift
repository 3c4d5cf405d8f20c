/// The entries that a change removed from a memory cache, to be freed and reported once no lock is held.
@usableFromInline
struct DroppedEntries<Key: Hashable & Sendable, Value: Sendable> {
    @usableFromInline var entries: [MemoryEntry<Key, Value>] = []
    /// The reason for the removal of each.
    @usableFromInline var reasons: [CacheRemovalReason] = []
    /// Objects of weak references that were read, and weak references, which may have no other owner by now.
    @usableFromInline var objects: [AnyObject] = []

    @inlinable
    init() {}

    @inlinable
    mutating func append(_ entry: consuming MemoryEntry<Key, Value>, _ reason: CacheRemovalReason) {
        entries.append(entry)
        reasons.append(reason)
    }
}

/// The outcome of a store.
@usableFromInline
enum MemoryStoreOutcome {
    /// It was not stored: it is beyond the limits. The earlier entry of its key is removed.
    case refused
    case added
    /// It replaced an earlier one.
    case replaced
}
