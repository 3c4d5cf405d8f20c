public import Synchronization

/// What changes of an entry while it is read, and what the hands look at that walk over all entries: apart from the
/// entries, whose memory stays in the caches of all processors until one of them changes the table.
@usableFromInline
struct MemoryEntryState: ~Copyable {
    @usableFromInline let atomicExpiresAt = Atomic<Int64>(.max)
    @usableFromInline let atomicIsReferenced = Atomic<Bool>(false)
    /// Whether an entry is at this place.
    @usableFromInline var isTaken = false
    /// The number of the entry's store; at a free place the next free one, or -1.
    @usableFromInline var serial = 0

    @inlinable
    init() {}

    /// As the entry's own; at a free place never. Several readers may set it at the same time: their times differ by
    /// what the clock needs to move on, and any of them will do.
    @inlinable
    var expiresAt: Int64 {
        get { atomicExpiresAt.load(ordering: .relaxed) }
        nonmutating set { atomicExpiresAt.store(newValue, ordering: .relaxed) }
    }

    /// Set by a hit, cleared by the eviction hand when it passes: the second chance.
    @inlinable
    var isReferenced: Bool {
        get { atomicIsReferenced.load(ordering: .relaxed) }
        nonmutating set { atomicIsReferenced.store(newValue, ordering: .relaxed) }
    }
}
