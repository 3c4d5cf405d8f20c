/// A part of a memory cache with its own lock, so that threads rarely wait for each other.
///
/// Unchecked: `table` is only touched while `lock` is held.
@usableFromInline
final class MemoryShard<Key: Hashable & Sendable, Value: Sendable>: @unchecked Sendable {
    @usableFromInline let lock = ShardLock()
    // Constant, so that a hit need not retain it.
    @usableFromInline let table = MemoryTable<Key, Value>()
    @inlinable
    init() {}

    @inlinable
    func withLock<Result>(_ body: (MemoryTable<Key, Value>) -> Result) -> Result {
        lock.acquire()
        defer { lock.release() }
        return body(table)
    }
}
