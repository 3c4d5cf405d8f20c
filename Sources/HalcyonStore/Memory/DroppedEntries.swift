/// What left a memory cache during a change, to be freed and told once no lock is held.
@usableFromInline
struct DroppedEntries<Key: Hashable & Sendable, Value: Sendable> {
    @usableFromInline var entries: [MemoryEntry<Key, Value>] = []
    /// Why each of them went.
    @usableFromInline var reasons: [CacheRemovalReason] = []
    /// Objects of weak references that were looked at, and weak references, which may have no other owner by now.
    @usableFromInline var objects: [AnyObject] = []

    @inlinable
    init() {}

    @inlinable
    mutating func append(_ entry: consuming MemoryEntry<Key, Value>, _ reason: CacheRemovalReason) {
        entries.append(entry)
        reasons.append(reason)
    }
}

/// What became of an entry that was to be stored.
@usableFromInline
enum MemoryStoreOutcome {
    /// It was not stored: it is beyond the limits. What had its key is gone.
    case refused
    case added
    /// It has the place of an earlier one.
    case replaced
}
