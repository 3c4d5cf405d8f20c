/// What left a memory cache during a change, to be freed and told once no lock is held.
@usableFromInline
struct DroppedEntries<Key: Hashable & Sendable, Value: Sendable> {
    /// Their time was over.
    @usableFromInline var expired: [MemoryEntry<Key, Value>] = []
    /// They had to make room.
    @usableFromInline var evicted: [MemoryEntry<Key, Value>] = []
    /// Another value has their key now.
    @usableFromInline var replaced: [MemoryEntry<Key, Value>] = []
    /// They were to be replaced by a value that was not stored.
    @usableFromInline var removed: [MemoryEntry<Key, Value>] = []

    @inlinable
    init() {}
}
