/// A part of a memory cache with its own lock, so that threads rarely wait for each other.
///
/// Unchecked: `table`, `hits` and `misses` are only touched while `lock` is held.
@usableFromInline
final class MemoryShard<Key: Hashable & Sendable, Value: Sendable>: @unchecked Sendable {
    @usableFromInline let lock = ShardLock()
    // Constant, so that a hit need not retain it.
    @usableFromInline let table = MemoryTable<Key, Value>()
    // The lock already excludes what the dynamic check would look for, at a fifth of a hit's cost.
    @exclusivity(unchecked)
    @usableFromInline
    var hits = 0
    @exclusivity(unchecked)
    @usableFromInline
    var misses = 0

    @inlinable
    init() {}

    @inlinable
    func withLock<Result>(_ body: (MemoryTable<Key, Value>) -> Result) -> Result {
        lock.acquire()
        defer { lock.release() }
        return body(table)
    }
}
