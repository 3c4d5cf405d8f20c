/// One entry of a memory cache.
@usableFromInline
struct MemoryEntry<Key: Hashable & Sendable, Value: Sendable> {
    @usableFromInline let key: Key
    @usableFromInline let hash: Int
    /// Nil when the entry was evicted and only `weak` may still find it.
    @usableFromInline var value: Value?
    /// Made when the value is stored, so that no code of the user runs while it is evicted.
    @usableFromInline let weak: WeakValue<Value>?
    @usableFromInline var cost: Int
    /// Nanoseconds on the monotonic clock; `Int64.max` is never.
    @usableFromInline var expiresAt: Int64
    /// What an access restarts, in nanoseconds; 0 when it restarts nothing.
    @usableFromInline var lifetime: Int64
    /// Set by a hit, cleared by the eviction hand when it passes: the second chance.
    @usableFromInline var isReferenced = false
    /// Given by the ledger when the entry is inserted.
    @usableFromInline var serial = 0

    @inlinable
    init(
        key: Key,
        hash: Int,
        value: Value?,
        weak: WeakValue<Value>?,
        cost: Int,
        expiresAt: Int64,
        lifetime: Int64
    ) {
        self.key = key
        self.hash = hash
        self.value = value
        self.weak = weak
        self.cost = cost
        self.expiresAt = expiresAt
        self.lifetime = lifetime
    }
}

/// A hash table whose entries keep their place from insertion to removal, so that an eviction hand can walk over them
/// while a hit only sets a bit.
///
/// The hash is given by the caller, who needs it to choose the shard as well, so a look-up hashes once. Buckets hold
/// places of entries (linear probing, at most half full; removal shifts back, so there are no tombstones).
///
/// Entries lie in memory of its own and not in an array of optionals: reading one field of an element of the latter
/// copies the element, with its references, which made a hit five times as slow.
@usableFromInline
final class MemoryTable<Key: Hashable & Sendable, Value: Sendable> {
    @usableFromInline typealias Entry = MemoryEntry<Key, Value>

    /// The place of an entry plus one, 0 if empty, and a part of its hash that spares most look-ups at other entries.
    @usableFromInline
    struct Bucket {
        @usableFromInline var next: UInt32
        @usableFromInline var tag: UInt32

        @inlinable
        init(next: UInt32 = 0, tag: UInt32 = 0) {
            self.next = next
            self.tag = tag
        }

        @inlinable var place: Int { Int(next) - 1 }
    }

    @exclusivity(unchecked)
    @usableFromInline
    var buckets: UnsafeMutablePointer<Bucket>
    @exclusivity(unchecked)
    @usableFromInline
    var bucketCount = 16
    /// Initialised exactly at the places that are taken; freed in deinit.
    @exclusivity(unchecked)
    @usableFromInline
    var entries: UnsafeMutablePointer<Entry>
    @usableFromInline var capacity = 8
    @usableFromInline var isTaken: [Bool] = []
    @usableFromInline var freePlaces: [Int] = []

    @inlinable
    init() {
        buckets = .allocate(capacity: 16)
        buckets.initialize(repeating: Bucket(), count: 16)
        entries = .allocate(capacity: 8)
    }

    deinit {
        for place in isTaken.indices where isTaken[place] {
            (entries + place).deinitialize(count: 1)
        }
        entries.deallocate()
        buckets.deallocate()
    }

    /// The number of entries, those that are only weakly held included.
    @inlinable
    var count: Int { isTaken.count - freePlaces.count }

    /// The places are below this; not each is taken.
    @inlinable
    var placeCount: Int { isTaken.count }

    /// The entry at a place, or nil if it is free.
    @inlinable
    func entry(at place: Int) -> Entry? {
        isTaken[place] ? entries[place] : nil
    }

    /// The place of the entry for `key`, or -1. Complexity: O(1) expected.
    @inlinable
    func find(_ key: Key, hash: Int) -> Int {
        let mask = bucketCount - 1
        let tag = UInt32(truncatingIfNeeded: hash >> 24)
        var index = hash & mask
        while true {
            let bucket = buckets[index]
            if bucket.next == 0 { return -1 }
            if bucket.tag == tag, entries[bucket.place].key == key { return bucket.place }
            index = (index + 1) & mask
        }
    }

    /// Adds an entry whose key is not in the table. Complexity: O(1) amortised.
    @inlinable
    func insert(_ entry: Entry) {
        if (count + 1) * 2 > bucketCount {
            growBuckets()
        }
        let place: Int
        if let free = freePlaces.popLast() {
            place = free
            isTaken[place] = true
        } else {
            place = isTaken.count
            if place == capacity { growEntries() }
            isTaken.append(true)
        }
        (entries + place).initialize(to: entry)
        link(place, hash: entry.hash)
    }

    /// Removes and returns the entry at `place`, which must hold one. Complexity: O(1) expected.
    @inlinable
    func remove(at place: Int) -> Entry {
        precondition(isTaken[place])
        let mask = bucketCount - 1
        var hole = entries[place].hash & mask
        while buckets[hole].place != place {
            hole = (hole + 1) & mask
        }
        // Moves back each follower that the hole would cut off from the bucket it hashes to.
        var next = (hole + 1) & mask
        while buckets[next].next != 0 {
            let home = entries[buckets[next].place].hash & mask
            if (next &- home) & mask >= (next &- hole) & mask {
                buckets[hole] = buckets[next]
                hole = next
            }
            next = (next + 1) & mask
        }
        buckets[hole] = Bucket()
        isTaken[place] = false
        freePlaces.append(place)
        return (entries + place).move()
    }

    /// Empties the table and returns one that holds what it held, for the caller to free.
    func takeAll() -> MemoryTable {
        let taken = MemoryTable()
        swap(&buckets, &taken.buckets)
        swap(&bucketCount, &taken.bucketCount)
        swap(&entries, &taken.entries)
        swap(&capacity, &taken.capacity)
        swap(&isTaken, &taken.isTaken)
        swap(&freePlaces, &taken.freePlaces)
        return taken
    }

    @inlinable
    func link(_ place: Int, hash: Int) {
        let mask = bucketCount - 1
        var index = hash & mask
        while buckets[index].next != 0 {
            index = (index + 1) & mask
        }
        buckets[index] = Bucket(next: UInt32(place + 1), tag: UInt32(truncatingIfNeeded: hash >> 24))
    }

    @usableFromInline
    func growBuckets() {
        buckets.deallocate()
        bucketCount *= 2
        buckets = .allocate(capacity: bucketCount)
        buckets.initialize(repeating: Bucket(), count: bucketCount)
        for place in isTaken.indices where isTaken[place] {
            link(place, hash: entries[place].hash)
        }
    }

    @usableFromInline
    func growEntries() {
        let grown = UnsafeMutablePointer<Entry>.allocate(capacity: capacity * 2)
        for place in isTaken.indices where isTaken[place] {
            (grown + place).moveInitialize(from: entries + place, count: 1)
        }
        entries.deallocate()
        entries = grown
        capacity *= 2
    }
}
