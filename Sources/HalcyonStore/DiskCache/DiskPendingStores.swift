package import FoundationEssentials

/// A store that has begun and is not over.
struct DiskStore: Sendable {
    /// The number of its key's row.
    let id: Int64
    /// Later stores of the same cache have higher numbers.
    let number: UInt64
    /// The body that its entry was made of; nil if it is not compared with those that the cache has.
    var basis: DiskCache.OriginalReference?
}

extension DiskCache {
    /// The body that an entry was made of. The entry is not stored where another body has taken the place of that one
    /// since, also if another process has stored that. An entry that is such a body itself is its own basis.
    package struct OriginalReference: Sendable {
        let key: String
        let hash: UInt64
        let date: DiskTime
        let isAnswer: Bool
        let currentAt: @Sendable (Data) -> Date?

        /// - Parameters:
        ///   - key: The key under which the cache has that body, or another one in its place.
        ///   - hash: XXH3 of the body, 64 bits.
        ///   - date: The time at which the body was current: another one is newer that was current later.
        ///   - isAnswer: Whether its server was asked for it at that time, so that a removal of the key since counts, also by
        ///     another process. Default: `false`.
        ///   - currentAt: Returns the time at which a body was current from its metadata; `nil` for that at which it was
        ///     stored. Default: `nil`.
        package init(
            _ key: String,
            hash: UInt64,
            at date: Date,
            isAnswer: Bool = false,
            currentAt: @escaping @Sendable (_ metadata: Data) -> Date? = { _ in nil }
        ) {
            self.key = key
            self.hash = hash
            self.date = DiskTime(date)
            self.isAnswer = isAnswer
            self.currentAt = currentAt
        }
    }
}

/// The stores that have begun and may still become entries, in the order in which they began.
///
/// A store that a removal or a later store of its key overtakes is taken out: it must not become an entry any more.
struct DiskPendingStores {
    private struct Pending {
        let number: UInt64
        let key: String
    }

    private var pending: [Int64: [Pending]] = [:]
    /// The number of the store that began last.
    private(set) var lastNumber: UInt64 = 0

    /// Begins a store.
    mutating func begin(_ key: DiskKey, madeOf basis: DiskCache.OriginalReference?) -> DiskStore {
        lastNumber += 1
        pending[key.id, default: []].append(Pending(number: lastNumber, key: key.text))
        return DiskStore(id: key.id, number: lastNumber, basis: basis)
    }

    /// Returns whether a store may still become an entry.
    func isValid(_ store: DiskStore) -> Bool {
        pending[store.id]?.contains { $0.number == store.number } ?? false
    }

    /// Ends a store. Does nothing if it was overtaken or has ended.
    mutating func end(_ store: DiskStore) {
        remove(from: store.id) { $0.number == store.number }
    }

    /// Overtakes the stores of a key, or those of them that began before one with this number.
    mutating func revoke(_ key: DiskKey, before number: UInt64 = .max) {
        // Keys with one hash have one place.
        remove(from: key.id) { $0.number < number && key.hasBytes(of: $0.key) }
    }

    /// Overtakes the stores whose keys lie in a range.
    mutating func revoke(in range: DiskKeyRange) {
        for id in Array(pending.keys) { remove(from: id) { range.contains($0.key) } }
    }

    /// Overtakes all stores.
    mutating func revokeAll() {
        pending = [:]
    }

    private mutating func remove(from id: Int64, where isUnwanted: (Pending) -> Bool) {
        guard var left = pending.removeValue(forKey: id) else { return }
        left.removeAll(where: isUnwanted)
        if !left.isEmpty { pending[id] = left }
    }
}
