/// A table of the keys that were inserted last: between `capacity` and twice as many. Nothing is moved for it.
struct RecentTable<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private let capacity: Int
    private var recent: [Key: Value] = [:]
    private var older: [Key: Value] = [:]

    init(capacity: Int) {
        self.capacity = capacity
    }

    func value(for key: Key) -> Value? { recent[key] ?? older[key] }

    mutating func insert(_ value: Value, for key: Key) {
        if recent.count >= capacity, recent[key] == nil { (older, recent) = (recent, [:]) }
        recent[key] = value
    }

    mutating func removeValue(for key: Key) -> Value? {
        let value = recent.removeValue(forKey: key)
        return older.removeValue(forKey: key).map { value ?? $0 } ?? value
    }
}
