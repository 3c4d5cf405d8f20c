internal import Synchronization

/// The least that a cache for several threads can be: a dictionary under one mutex.
final class LockedDictionary<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private let values: Mutex<[Key: Value]>

    init(_ values: [Key: Value]) {
        self.values = Mutex(values)
    }

    func value(for key: Key) -> Value? {
        values.withLock { $0[key] }
    }

    func insert(_ value: Value, for key: Key) {
        values.withLock { $0[key] = value }
    }
}
