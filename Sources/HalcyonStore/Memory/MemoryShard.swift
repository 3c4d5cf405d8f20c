/// A part of a memory cache, chosen by the hash of the key, so that threads that look up at the same time seldom wait for
/// each other.
///
/// Entries keep their place from addition to removal, so that the hands can walk over them.
@usableFromInline
struct MemoryShard<Key: Hashable & Sendable, Value: Sendable> {
    @usableFromInline typealias Entry = MemoryEntry<Key, Value>

    @usableFromInline var hits = 0
    @usableFromInline var misses = 0
    @usableFromInline var places: [HashedKey<Key>: Int] = [:]
    @usableFromInline var entries: [Entry] = []
    @usableFromInline var freePlaces: [Int] = []
    /// Keeps the next shard out of the lines of the processor's cache that this one's hits change.
    private let space: (Int, Int, Int, Int, Int, Int) = (0, 0, 0, 0, 0, 0)

    init() {}

    /// Adds an entry whose key is not there. Complexity: O(1) amortised.
    @inlinable
    mutating func add(_ entry: Entry) {
        guard let key = entry.key else { return }
        if let place = freePlaces.popLast() {
            places[key] = place
            entries[place] = entry
        } else {
            places[key] = entries.count
            entries.append(entry)
        }
    }

    /// Puts an entry in the place of one with its key, and returns that.
    @inlinable
    mutating func replace(at place: Int, by entry: Entry) -> Entry {
        var entry = entry
        // The one that the dictionary has: it is freed together with its entry, outside the lock.
        entry.key = entries[place].key
        swap(&entries[place], &entry)
        return entry
    }

    /// Removes and returns the entry at a place that holds one.
    @inlinable
    mutating func remove(at place: Int) -> Entry {
        var entry = Entry()
        swap(&entries[place], &entry)
        if let key = entry.key { places.removeValue(forKey: key) }
        freePlaces.append(place)
        return entry
    }

    /// Walks the hand on, past the next value that was not used since the hand last passed or that has expired, and drops
    /// it; returns its entry as it was, or `nil` at the end of the shard.
    ///
    /// - Parameters:
    ///   - newest: values with a higher serial number are spared; with `Int.max`, no value is.
    ///   - keepsWeakly: whether an entry with a weak reference stays without its value.
    @inlinable
    mutating func evict(from hand: inout Int, at now: Int64, newest: Int, keepsWeakly: Bool) -> (Entry, stays: Bool)? {
        while hand < entries.count {
            let place = hand
            hand += 1
            guard entries[place].value != nil else { continue }
            let isOver = entries[place].expiresAt <= now
            if newest != .max, !isOver {
                if entries[place].serial > newest { continue }
                if entries[place].isUsed {
                    entries[place].isUsed = false
                    continue
                }
            }
            guard keepsWeakly, !isOver, entries[place].weak != nil else { return (remove(at: place), false) }
            let entry = entries[place]
            entries[place].value = nil
            entries[place].isUsed = false
            return (entry, true)
        }
        return nil
    }

    /// Empties the shard and returns what it held, for the caller to free.
    mutating func takeAll() -> MemoryShard {
        var taken = MemoryShard()
        (taken.hits, taken.misses) = (hits, misses)
        swap(&self, &taken)
        return taken
    }
}
