/// What a memory cache knows about all its shards together.
///
/// Every change of the set of entries happens under its lock, which makes the sums plain numbers and the limits exact;
/// hits do not take it. Who holds it may read every shard without further ado, and closes one to change it.
///
/// Unchecked: its variables are only touched while `lock` is held, which also excludes what the dynamic check of
/// exclusivity would look for.
@usableFromInline
final class MemoryLedger: @unchecked Sendable {
    @usableFromInline let lock = ChangeLock()
    @exclusivity(unchecked)
    @usableFromInline
    var costLimit: Int
    @exclusivity(unchecked)
    @usableFromInline
    var countLimit: Int
    /// The sum of the costs of the entries that hold a value. Never above `costLimit`.
    @exclusivity(unchecked)
    @usableFromInline
    var cost = 0
    /// The number of entries that hold a value. Never above `countLimit`.
    @exclusivity(unchecked)
    @usableFromInline
    var count = 0
    /// The number of entries that were evicted but can perhaps be found again.
    @exclusivity(unchecked)
    @usableFromInline
    var weakCount = 0
    @exclusivity(unchecked)
    @usableFromInline
    var evictions = 0
    @exclusivity(unchecked)
    @usableFromInline
    var expirations = 0
    /// Numbers the stores, so that an evicted entry is told from a later one with its key.
    @exclusivity(unchecked)
    @usableFromInline
    var lastSerial = 0
    /// `lastSerial` when the eviction hand began its present round. Later entries are spared in this round: they may lie
    /// just before the hand, and would go before what is older.
    @exclusivity(unchecked)
    @usableFromInline
    var roundSerial = 0
    /// Whether a sweep of what expires comes by itself.
    @exclusivity(unchecked)
    @usableFromInline
    var isSwept = false
    @exclusivity(unchecked)
    @usableFromInline
    var evictionHand = Hand()
    @exclusivity(unchecked)
    @usableFromInline
    var sweepHand = Hand()

    /// A position in the round over all entries of all shards.
    @usableFromInline
    struct Hand: Equatable {
        @usableFromInline var shard = 0
        @usableFromInline var place = 0

        @inlinable
        init(shard: Int = 0, place: Int = 0) {
            self.shard = shard
            self.place = place
        }
    }

    @usableFromInline
    init(costLimit: Int, countLimit: Int) {
        self.costLimit = costLimit
        self.countLimit = countLimit
    }

    @inlinable
    func withLock<Result>(_ body: () -> Result) -> Result {
        lock.acquire()
        defer { lock.release() }
        return body()
    }
}
