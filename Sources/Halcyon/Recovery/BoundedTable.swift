/// A dictionary with an upper bound: what was put in first goes first. Each operation takes constant time on average.
struct BoundedTable<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Place {
        var value: Value
        /// Which of the key's entries in `order` counts; older ones are skipped.
        var turn: UInt64
    }

    private let capacity: Int
    private var places: [Key: Place] = [:]
    private var order: [(key: Key, turn: UInt64)] = []
    /// What stands before it in `order` is gone.
    private var first = 0
    private var lastTurn: UInt64 = 0

    /// - Parameter capacity: At least 1.
    init(capacity: Int) {
        self.capacity = max(1, capacity)
    }

    var count: Int { places.count }

    subscript(key: Key) -> Value? { places[key]?.value }

    /// Puts a value in, as the youngest, in the place of one that the key had; the oldest makes room.
    mutating func insert(_ value: Value, for key: Key) {
        lastTurn += 1
        places[key] = Place(value: value, turn: lastTurn)
        order.append((key, lastTurn))
        while places.count > capacity { removeOldest() }
        // Keys that were put in again or removed leave gaps behind: no more of them than entries.
        if (order.count - first) / 2 > capacity || first > capacity { removeGaps() }
    }

    mutating func remove(_ key: Key) {
        places[key] = nil
    }

    mutating func removeAll(where isGone: (Key) -> Bool) {
        for key in places.keys where isGone(key) { places[key] = nil }
        removeGaps()
    }

    private mutating func removeOldest() {
        while first < order.count {
            let (key, turn) = order[first]
            first += 1
            guard places[key]?.turn == turn else { continue }
            places[key] = nil
            return
        }
    }

    private mutating func removeGaps() {
        order = order[first...].filter { places[$0.key]?.turn == $0.turn }
        first = 0
    }
}
