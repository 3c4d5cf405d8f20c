/// The sums over all shards of a memory cache, its limits, and the hands that walk over its entries.
///
/// Every change of the set of entries happens under its lock, which makes the limits exact. Its holder locks one shard
/// after the other to change it; a hit locks its shard alone.
@usableFromInline
struct MemoryLedger {
    @usableFromInline var costLimit: Int
    @usableFromInline var countLimit: Int
    /// The sum of the costs of the entries that hold a value. Never above `costLimit`.
    @usableFromInline var cost = 0
    /// The number of entries that hold a value. Never above `countLimit`.
    @usableFromInline var count = 0
    /// The number of entries that were evicted but can perhaps be found again.
    @usableFromInline var weakCount = 0
    @usableFromInline var evictions = 0
    @usableFromInline var expirations = 0
    @usableFromInline var lastSerial = 0
    /// `lastSerial` when the eviction hand began its present round. Later entries are spared in this round: they may
    /// lie just before the hand, and would go before what is older.
    @usableFromInline var roundSerial = 0
    /// Whether a background sweep is planned.
    @usableFromInline var isSwept = false
    @usableFromInline var evictionHand = Hand()
    @usableFromInline var sweepHand = Hand()

    /// A position in the round over all entries of all shards.
    @usableFromInline
    struct Hand {
        @usableFromInline var shard = 0
        @usableFromInline var place = 0

        @inlinable
        init(shard: Int = 0) {
            self.shard = shard
        }

        @inlinable
        var isAtStart: Bool { shard == 0 && place == 0 }
    }

    @usableFromInline
    init(costLimit: Int, countLimit: Int) {
        self.costLimit = max(0, costLimit)
        self.countLimit = max(0, countLimit)
    }

    /// Whether a value of this cost, which alone is within the limits, could be added without evicting another.
    @inlinable
    func hasRoom(for entryCost: Int) -> Bool { entryCost <= costLimit - cost && count < countLimit }

    /// Returns an entry with the number of its store.
    @inlinable
    mutating func numbered<Key, Value>(_ entry: MemoryEntry<Key, Value>) -> MemoryEntry<Key, Value> {
        lastSerial &+= 1
        var entry = entry
        entry.serial = lastSerial
        return entry
    }

    var isAboveLimit: Bool { cost > costLimit || count > countLimit }

    /// Subtracts an entry that was removed.
    @inlinable
    mutating func subtract<Key, Value>(_ entry: MemoryEntry<Key, Value>) {
        if entry.value != nil {
            cost -= entry.cost
            count -= 1
        } else {
            weakCount -= 1
        }
    }
}

/// What a change removed from a memory cache, to be freed once no lock is held: freeing may run code of the user.
@usableFromInline
struct DroppedEntries<Key: Hashable & Sendable, Value: Sendable> {
    @usableFromInline var entries: [MemoryEntry<Key, Value>] = []
    /// Objects of weak references that were read, which may have no other owner by now.
    @usableFromInline var objects: [AnyObject] = []

    @inlinable
    init() {}
}
