internal import CProcessor
internal import Glibc
internal import HalcyonConcurrency
internal import Synchronization

/// Lets any number of threads read a shard of the memory cache at a time, or one change it.
///
/// A lock, even one a shard, is written by each reader, so that two threads that only read take its line of the
/// processor's cache from each other at every hit, which takes longer than the look-up. Here a reader writes a line of
/// the processor it runs on, and only a change of a shard reads the lines of all processors:
///
/// - A reader counts itself in, in its slot, and then looks whether the shard is closed. If so, it counts itself out
///   again and waits.
/// - A change of a shard closes it and then waits until all of its slots have no reader.
///
/// Both are sequentially consistent, so at least one of the two sees the other (Dekker's algorithm). Only one thread at
/// a time may close shards: the one that holds `changes`.
///
/// Unchecked: the slots and marks are atomic, and the memory they lie in is freed last.
@usableFromInline
final class ShardGate: @unchecked Sendable {
    /// The counts that one processor, or one of a few that share it, writes for one shard: a line of its own.
    @usableFromInline
    struct Slot: ~Copyable {
        /// The readers inside in the low 16 bits, above them 24 bits each of the hits and the misses, so that leaving
        /// counts with one operation.
        let readers = Atomic<UInt64>(0)
        /// The hits and misses that these bits did not hold any more.
        let earlierHits = Atomic<Int>(0)
        let earlierMisses = Atomic<Int>(0)
        private let space: (Int, Int, Int, Int, Int) = (0, 0, 0, 0, 0)
    }

    /// The result of a look-up.
    @usableFromInline
    enum Finding {
        case hit
        case miss
        /// A result that is not counted, or is counted later.
        case other
    }

    /// The mark that a shard is closed: read by all, written by changes, therefore on a line without counts.
    private struct Mark: ~Copyable {
        let isClosed = Atomic<Bool>(false)
        private let space: (Int, Int, Int, Int, Int, Int, Int) = (0, 0, 0, 0, 0, 0, 0)
    }

    private static let oneHit: UInt64 = 1 << 16
    private static let oneMiss: UInt64 = 1 << 40
    /// Half of what the bits hold: the reader that reaches it moves it away, long before the other half is full.
    private static let manyFindings: UInt64 = 1 << 23
    private static let lineSize = 64

    private let shardCount: Int
    private let slotMask: Int
    /// The shards of one slot lie side by side, so that processors which fetch two lines at once fetch their own.
    private let slots: UnsafeMutablePointer<Slot>
    private let marks: UnsafeMutablePointer<Mark>
    private let changes: ChangeLock

    /// - Parameter changes: the lock that is held while a shard is closed.
    init(shardCount: Int, changes: ChangeLock) {
        self.shardCount = shardCount
        self.changes = changes
        // A change looks at all of them; with more processors than 16 some share one.
        var slotCount = 2
        while slotCount < min(ProcessorCount.available, 16) { slotCount *= 2 }
        slotMask = slotCount - 1
        slots = Self.allocate(slotCount * shardCount) { Slot() }
        marks = Self.allocate(shardCount) { Mark() }
    }

    deinit {
        slots.deinitialize(count: (slotMask + 1) * shardCount)
        marks.deinitialize(count: shardCount)
        UnsafeMutableRawPointer(slots).deallocate()
        UnsafeMutableRawPointer(marks).deallocate()
    }

    private static func allocate<Element: ~Copyable>(
        _ count: Int,
        _ make: () -> Element
    ) -> UnsafeMutablePointer<Element> {
        precondition(MemoryLayout<Element>.stride == lineSize)
        let memory = UnsafeMutableRawPointer.allocate(byteCount: count * lineSize, alignment: lineSize)
        let elements = memory.bindMemory(to: Element.self, capacity: count)
        for index in 0..<count { (elements + index).initialize(to: make()) }
        return elements
    }

    /// Begins to read a shard; `leave` must follow. A thread that holds `changes` must not call this, and need not: no
    /// other thread changes a shard meanwhile.
    @usableFromInline
    @inline(never)
    func enter(_ shard: Int) -> UnsafeMutablePointer<Slot> {
        // Only a hint: a thread that is moved to another processor meanwhile counts in the slot of the one before.
        let slot = slots + ((Int(halcyon_current_processor()) & slotMask) * shardCount + shard)
        slot.pointee.readers.wrappingAdd(1, ordering: .sequentiallyConsistent)
        if !marks[shard].isClosed.load(ordering: .sequentiallyConsistent) { return slot }
        return wait(for: shard, slot)
    }

    /// Ends what `enter` began.
    ///
    /// Not inlinable, so that nothing the reader does with the shard can be moved after it.
    @usableFromInline
    @inline(never)
    func leave(_ slot: UnsafeMutablePointer<Slot>, with finding: Finding) {
        let one = finding == .hit ? Self.oneHit : finding == .miss ? Self.oneMiss : 0
        let readers = slot.pointee.readers.wrappingAdd(one &- 1, ordering: .releasing).newValue
        if one != 0, readers / one % (2 * Self.manyFindings) == Self.manyFindings { moveFindings(of: slot, one) }
    }

    @inline(never)
    private func moveFindings(of slot: UnsafeMutablePointer<Slot>, _ one: UInt64) {
        slot.pointee.readers.wrappingSubtract(Self.manyFindings * one, ordering: .relaxed)
        if one == Self.oneHit {
            slot.pointee.earlierHits.wrappingAdd(Int(Self.manyFindings), ordering: .relaxed)
        } else {
            slot.pointee.earlierMisses.wrappingAdd(Int(Self.manyFindings), ordering: .relaxed)
        }
    }

    @inline(never)
    private func wait(for shard: Int, _ slot: UnsafeMutablePointer<Slot>) -> UnsafeMutablePointer<Slot> {
        // Most changes are shorter than this.
        for _ in 0..<4 {
            slot.pointee.readers.wrappingSubtract(1, ordering: .releasing)
            var rounds = 0
            while rounds < 100, marks[shard].isClosed.load(ordering: .relaxed) {
                rounds += 1
                halcyon_spin_hint()
            }
            slot.pointee.readers.wrappingAdd(1, ordering: .sequentiallyConsistent)
            if !marks[shard].isClosed.load(ordering: .sequentiallyConsistent) { return slot }
        }
        slot.pointee.readers.wrappingSubtract(1, ordering: .releasing)
        // Nothing is closed while this is held, and what comes next waits for this reader.
        changes.acquire()
        slot.pointee.readers.wrappingAdd(1, ordering: .sequentiallyConsistent)
        changes.release()
        return slot
    }

    /// Keeps readers out of a shard, and waits for those inside. The caller holds `changes`.
    @usableFromInline
    @inline(never)
    func close(_ shard: Int) {
        marks[shard].isClosed.store(true, ordering: .sequentiallyConsistent)
        for number in 0...slotMask {
            let slot = slots + (number * shardCount + shard)
            if Self.hasReaders(slot) { Self.waitForReaders(slot) }
        }
    }

    /// Ends what `close` began.
    @usableFromInline
    @inline(never)
    func open(_ shard: Int) {
        marks[shard].isClosed.store(false, ordering: .releasing)
    }

    private static func hasReaders(_ slot: UnsafeMutablePointer<Slot>) -> Bool {
        slot.pointee.readers.load(ordering: .sequentiallyConsistent) % oneHit != 0
    }

    @inline(never)
    private static func waitForReaders(_ slot: UnsafeMutablePointer<Slot>) {
        var rounds = 0
        while hasReaders(slot) {
            rounds += 1
            // A reader needs less than a microsecond, unless it lost its processor; it then needs this one, and a
            // thread of a higher priority than its own gives that up by sleeping only.
            if rounds > 1_000 {
                usleep(50)
            } else if rounds > 100 {
                sched_yield()
            } else {
                halcyon_spin_hint()
            }
        }
    }

    /// The hits and misses of all shards. The caller holds `changes`.
    var counts: (hits: Int, misses: Int) {
        var counts = (hits: 0, misses: 0)
        for index in 0..<(slotMask + 1) * shardCount {
            let readers = slots[index].readers.load(ordering: .relaxed)
            counts.hits += Int(readers % Self.oneMiss / Self.oneHit)
            counts.hits += slots[index].earlierHits.load(ordering: .relaxed)
            counts.misses += Int(readers / Self.oneMiss)
            counts.misses += slots[index].earlierMisses.load(ordering: .relaxed)
        }
        return counts
    }
}
