/// A hash table whose entries keep their place from addition to removal, so that an eviction hand can walk over them
/// while a hit only sets a bit.
///
/// The hash is given by the caller, which needs it to choose the shard as well, so a look-up hashes once. Buckets hold
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

    // None is checked for exclusive access: the gate and the ledger's lock already exclude it, and the checks would
    // take as long as the look-up.
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
    /// All initialised; freed in deinit.
    @exclusivity(unchecked)
    @usableFromInline
    var states: UnsafeMutablePointer<MemoryEntryState>
    @exclusivity(unchecked)
    @usableFromInline
    var capacity = 8
    /// The places are below this; not each is taken.
    @exclusivity(unchecked)
    @usableFromInline
    var placeCount = 0
    /// The number of entries, those that are only weakly held included.
    @exclusivity(unchecked)
    @usableFromInline
    var count = 0
    /// The free place that was left last, or -1.
    @exclusivity(unchecked)
    @usableFromInline
    var firstFree = -1

    @inlinable
    init() {
        buckets = .allocate(capacity: 16)
        buckets.initialize(repeating: Bucket(), count: 16)
        entries = .allocate(capacity: 8)
        states = .allocate(capacity: 8)
        for place in 0..<8 { (states + place).initialize(to: MemoryEntryState()) }
    }

    deinit {
        for place in 0..<placeCount where states[place].isTaken {
            (entries + place).deinitialize(count: 1)
        }
        states.deinitialize(count: capacity)
        states.deallocate()
        entries.deallocate()
        buckets.deallocate()
    }

    /// A copy of the entry at a place, or nil if it is free.
    @inlinable
    func entry(at place: Int) -> Entry? {
        guard states[place].isTaken else { return nil }
        var entry = entries[place]
        entry.expiresAt = states[place].expiresAt
        entry.serial = states[place].serial
        return entry
    }

    /// A copy of the key at a place, or nil if that is free. It takes a fraction of the time of a copy of the entry.
    @inlinable
    func key(at place: Int) -> Key? {
        states[place].isTaken ? entries[place].key : nil
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
    func add(_ entry: consuming Entry, serial: Int) {
        if (count + 1) * 2 > bucketCount { growBuckets() }
        let place: Int
        if firstFree >= 0 {
            place = firstFree
            firstFree = states[place].serial
        } else {
            if placeCount == capacity { growEntries() }
            place = placeCount
            placeCount += 1
        }
        count += 1
        link(place, hash: entry.hash)
        initialize(entry, at: place, serial: serial)
    }

    /// Puts an entry in the place of one with its key, and returns that. Complexity: O(1).
    @inlinable
    func replace(at place: Int, by entry: consuming Entry, serial: Int) -> Entry {
        var earlier = (entries + place).move()
        earlier.expiresAt = states[place].expiresAt
        initialize(entry, at: place, serial: serial)
        return earlier
    }

    @inlinable
    func initialize(_ entry: consuming Entry, at place: Int, serial: Int) {
        states[place].expiresAt = entry.expiresAt
        states[place].isReferenced = false
        states[place].isTaken = true
        states[place].serial = serial
        (entries + place).initialize(to: entry)
    }

    /// Removes and returns the entry at `place`, which must hold one. Complexity: O(1) expected.
    @inlinable
    func remove(at place: Int) -> Entry {
        precondition(states[place].isTaken)
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
        var entry = (entries + place).move()
        entry.expiresAt = states[place].expiresAt
        states[place].expiresAt = .max
        states[place].isTaken = false
        states[place].serial = firstFree
        firstFree = place
        count -= 1
        return entry
    }

    /// Empties the table and returns one that holds what it held, for the caller to free.
    func takeAll() -> MemoryTable {
        let taken = MemoryTable()
        swap(&buckets, &taken.buckets)
        swap(&bucketCount, &taken.bucketCount)
        swap(&entries, &taken.entries)
        swap(&states, &taken.states)
        swap(&capacity, &taken.capacity)
        swap(&placeCount, &taken.placeCount)
        swap(&count, &taken.count)
        swap(&firstFree, &taken.firstFree)
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

    @inlinable
    @inline(never)
    func growBuckets() {
        buckets.deallocate()
        bucketCount *= 2
        buckets = .allocate(capacity: bucketCount)
        buckets.initialize(repeating: Bucket(), count: bucketCount)
        for place in 0..<placeCount where states[place].isTaken {
            link(place, hash: entries[place].hash)
        }
    }

    @inlinable
    @inline(never)
    func growEntries() {
        let grown = UnsafeMutablePointer<Entry>.allocate(capacity: capacity * 2)
        for place in 0..<placeCount where states[place].isTaken {
            (grown + place).moveInitialize(from: entries + place, count: 1)
        }
        entries.deallocate()
        entries = grown
        let grownStates = UnsafeMutablePointer<MemoryEntryState>.allocate(capacity: capacity * 2)
        grownStates.moveInitialize(from: states, count: capacity)
        for place in capacity..<capacity * 2 { (grownStates + place).initialize(to: MemoryEntryState()) }
        states.deallocate()
        states = grownStates
        capacity *= 2
    }
}
