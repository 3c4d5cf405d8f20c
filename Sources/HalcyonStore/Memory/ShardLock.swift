internal import HalcyonConcurrency

/// A lock that inlinable code may take: `Lock` itself is not visible outside the package, and the memory cache has to
/// be inlinable to be specialised for its key and value in the modules that use it.
///
/// The counts of a shard are beside its lock, since whoever takes it counts: two threads then hand one line of the
/// processors' caches to each other and not two. The space behind keeps the lock of the next shard off that line, and
/// off the one that processors fetch along with it.
///
/// Unchecked: `hits` and `misses` are only touched while the lock is held.
@usableFromInline
final class ShardLock: @unchecked Sendable {
    private let lock = Lock<Void>(())
    // The lock already excludes what the dynamic check would look for, at a fifth of a hit's cost.
    @exclusivity(unchecked)
    @usableFromInline
    var hits = 0
    @exclusivity(unchecked)
    @usableFromInline
    var misses = 0
    private let space: (Line, Line) = ((0, 0, 0, 0, 0, 0, 0, 0), (0, 0, 0, 0, 0, 0, 0, 0))

    private typealias Line = (Int, Int, Int, Int, Int, Int, Int, Int)

    @usableFromInline
    init() {}

    @usableFromInline
    func acquire() {
        lock.lock()
    }

    @usableFromInline
    func release() {
        lock.unlock()
    }
}
