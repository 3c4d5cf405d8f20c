/// A dictionary with an upper bound: the entry that was inserted first is removed first. Each operation takes constant time
/// on average.
struct BoundedTable<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Entry {
        var value: Value
        /// The turn in `order` that counts for the key; older ones are skipped.
        var turn: UInt64
    }

    private let capacity: Int
    private var entries: [Key: Entry] = [:]
    private var order: [(key: Key, turn: UInt64)] = []
    /// The index in `order` before which everything is removed.
    private var first = 0
    private var lastTurn: UInt64 = 0

    init(capacity: Int) {
        self.capacity = max(1, capacity)
    }

    var count: Int { entries.count }

    subscript(key: Key) -> Value? { entries[key]?.value }

    /// Returns the entries whose keys satisfy a predicate. Complexity: O(n).
    func entries(where isWanted: (Key) -> Bool) -> [(key: Key, value: Value)] {
        entries.compactMap { isWanted($0.key) ? ($0.key, $0.value.value) : nil }
    }

    /// Inserts a value as the newest, replacing that of the key; the oldest is removed to make room.
    mutating func insert(_ value: Value, for key: Key) {
        lastTurn += 1
        entries[key] = Entry(value: value, turn: lastTurn)
        order.append((key, lastTurn))
        while entries.count > capacity { removeOldest() }
        // Keys that were inserted again or removed leave gaps behind: no more of them than entries.
        if (order.count - first) / 2 > capacity || first > capacity { removeGaps() }
    }

    mutating func remove(_ key: Key) {
        entries[key] = nil
    }

    mutating func removeAll(where isGone: (Key) -> Bool) {
        for key in entries.keys where isGone(key) { entries[key] = nil }
        removeGaps()
    }

    private mutating func removeOldest() {
        while first < order.count {
            let (key, turn) = order[first]
            first += 1
            guard entries[key]?.turn == turn else { continue }
            entries[key] = nil
            return
        }
    }

    private mutating func removeGaps() {
        order = order[first...].filter { entries[$0.key]?.turn == $0.turn }
        first = 0
    }
}
