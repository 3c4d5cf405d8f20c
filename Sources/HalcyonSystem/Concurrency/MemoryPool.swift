internal import Dispatch
internal import Synchronization

/// Keeps large blocks of memory that are no longer used, for the next ones: those of pixels, and of bodies.
///
/// Pages fresh from the system have to be cleared and mapped one by one, which was 26 % of the time to decode a PNG
/// and 30 to 40 % of a full JPEG decode. What the pool keeps is bounded, process-wide, by ``byteLimit``:
///
/// - Blocks up to 64 KiB are left to malloc, which reuses such blocks without system calls.
/// - Larger ones are rounded up to a size class, four to a power of two, so that images of similar size share blocks;
///   at most 25 % is wasted, and only of address space until the pages are touched.
/// - Blocks of more than half the limit are neither rounded nor kept: one of them would displace all others.
/// - Above the limit, the blocks that have waited longest are freed first: they are of sizes no longer asked for.
/// - Blocks that were not needed for some seconds are freed as well: after a burst, a pool that is not used is soon
///   empty.
///
/// Unchecked: the blocks that the lock protects are raw pointers, each owned by the pool alone while it waits there.
package final class MemoryPool: @unchecked Sendable {
    /// The contents of the pool, and the counts of its use.
    package struct Statistics: Hashable, Sendable {
        /// Bytes kept for reuse.
        package var keptByteCount: Int
        /// Blocks kept for reuse.
        package var keptBlockCount: Int
        /// Requests answered with a kept block.
        package var hitCount: Int
        /// Requests of a size that is kept, for which none was there.
        package var missCount: Int

        package init(keptByteCount: Int = 0, keptBlockCount: Int = 0, hitCount: Int = 0, missCount: Int = 0) {
            self.keptByteCount = keptByteCount
            self.keptBlockCount = keptBlockCount
            self.hitCount = hitCount
            self.missCount = missCount
        }
    }

    /// Runs an action once, after a delay.
    package typealias Schedule = @Sendable (_ delay: Duration, _ action: @escaping @Sendable () -> Void) -> Void

    /// The pool of all bitmaps and bodies.
    package static let shared = MemoryPool(byteLimit: 32 << 20)

    private struct State {
        var byteLimit: Int
        /// The block returned last stands last. Its pages are the likeliest to be in the processor's caches.
        var blocks: [MemoryBlock] = []
        var statistics = Statistics()
        /// The fewest bytes kept at any time since the last sweep: so much was not needed.
        var unneededByteCount = 0
        var isSweepScheduled = false
        /// Memory of another owner, for a block of pixels, and whether it is one now.
        var loan: (block: MemoryBlock, isTaken: Bool)?
    }

    private let state: Lock<State>
    private let schedule: Schedule
    /// ``fillByte``, or -1.
    private let filling = Atomic<Int>(-1)
    /// Between two sweeps. What is idle from some moment on is freed by the second sweep after it, at the latest.
    private static let sweepInterval = Duration.seconds(2)
    private static let smallestPooledByteCount = 64 << 10

    /// - Parameter schedule: Runs the sweeps; default, on a thread of Dispatch.
    package init(byteLimit: Int, schedule: @escaping Schedule = MemoryPool.onDispatch) {
        state = Lock(State(byteLimit: byteLimit))
        self.schedule = schedule
    }

    deinit {
        trim()
    }

    /// Most bytes kept for reuse; 32 MiB by default. Lowering it frees what is too much at once.
    package var byteLimit: Int {
        get { state.withLock { $0.byteLimit } }
        set {
            let surplus = state.withLock { state in
                state.byteLimit = max(0, newValue)
                return Self.removeSurplus(&state, keeping: state.byteLimit)
            }
            Self.free(surplus)
        }
    }

    /// Keeps at most so many bytes, and frees none of them later: for a process that may start no thread.
    package func endSweeping(byteLimit: Int) {
        self.byteLimit = byteLimit
        // As if there were one always.
        state.withLock { $0.isSweepScheduled = true }
    }

    /// The byte that every block is filled with before it is handed out; `nil`, the default, leaves it as it is.
    ///
    /// Whatever reads memory that it has not written gives another result with another byte: work that is done twice,
    /// over two fillings, shows that it shows nothing of what the memory held before.
    package var fillByte: UInt8? {
        get { UInt8(exactly: filling.load(ordering: .relaxed)) }
        set { filling.store(newValue.map(Int.init) ?? -1, ordering: .relaxed) }
    }

    /// Has the shared pool, and malloc as far as it knows how to, fill memory before it is handed out; `nil`, the
    /// default, leaves it as it is. For the heap of foreign code, which the pool does not serve.
    package static func fillMemory(with byte: UInt8?) {
        shared.fillByte = byte
        HeapFilling.set(byte)
    }

    /// The present contents of the pool.
    package var statistics: Statistics { state.withLock { $0.statistics } }

    /// Returns whether a block that serves `byteCount` bytes is in the pool.
    package func keeps(_ byteCount: Int) -> Bool {
        state.withLock { state in state.blocks.contains { $0.capacity == Self.sizeClass(of: byteCount) } }
    }

    /// Frees kept blocks, those that have waited longest first, until no more than `byteCount` bytes are kept.
    package func trim(to byteCount: Int = 0) {
        Self.free(state.withLock { Self.removeSurplus(&$0, keeping: max(0, byteCount)) })
    }

    /// Lends memory of another owner while `body` runs, aligned to 64 bytes: the first block of pixels that fits lies in
    /// it, and none that is kept longer may. For a process in which nobody else takes pixels meanwhile.
    package func lending<Result, Failure: Error>(
        _ memory: UnsafeMutableRawBufferPointer,
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        guard let start = memory.baseAddress else { return try body() }
        state.withLock { $0.loan = (MemoryBlock(lent: start, capacity: memory.count), isTaken: false) }
        defer {
            let loan = state.withLock { state in
                defer { state.loan = nil }
                return state.loan
            }
            precondition(loan?.isTaken != true, "pixels are kept in memory that was lent")
        }
        return try body()
    }

    /// Memory of at least `byteCount` bytes with arbitrary contents, aligned to 64 bytes, to be returned by
    /// ``giveBack(_:)``; `nil` where it cannot be had.
    ///
    /// Complexity: linear in the number of kept blocks, at most `byteLimit` / 64 KiB.
    ///
    /// - Parameter isForPixels: A Boolean value that indicates whether it may be memory that was lent. Default: `false`.
    package func take(byteCount: Int, isForPixels: Bool = false) -> MemoryBlock? {
        let block = find(byteCount: byteCount, isForPixels: isForPixels)
        if let block, let fillByte {
            block.pointer.initializeMemory(as: UInt8.self, repeating: fillByte, count: block.capacity)
        }
        return block
    }

    private func find(byteCount: Int, isForPixels: Bool) -> MemoryBlock? {
        guard byteCount > 0, byteCount <= Int.max / 2 else { return nil }
        var capacity = byteCount
        if byteCount > Self.smallestPooledByteCount {
            let sizeClass = Self.sizeClass(of: byteCount)
            let (kept, isPooled) = state.withLock { state -> (MemoryBlock?, Bool) in
                if isForPixels, let loan = state.loan, !loan.isTaken, byteCount <= loan.block.capacity {
                    state.loan?.isTaken = true
                    return (loan.block, true)
                }
                guard sizeClass <= state.byteLimit / 2 else { return (nil, false) }
                guard let index = state.blocks.lastIndex(where: { $0.capacity == sizeClass }) else {
                    state.statistics.missCount += 1
                    return (nil, true)
                }
                state.statistics.hitCount += 1
                state.statistics.keptByteCount -= sizeClass
                state.statistics.keptBlockCount -= 1
                state.unneededByteCount = min(state.unneededByteCount, state.statistics.keptByteCount)
                return (state.blocks.remove(at: index), true)
            }
            if let kept { return kept }
            if isPooled { capacity = sizeClass }
        }
        if let block = MemoryBlock(byteCount: capacity) { return block }
        // The memory that waits here may be the memory that is missing.
        trim()
        return MemoryBlock(byteCount: capacity)
    }

    /// Takes memory back that is no longer used.
    package func giveBack(_ block: MemoryBlock) {
        guard block.capacity > Self.smallestPooledByteCount else {
            block.free()
            return
        }
        let (surplus, mustSchedule) = state.withLock { state -> ([MemoryBlock], Bool) in
            if state.loan?.block.pointer == block.pointer {
                state.loan?.isTaken = false
                return ([], false)
            }
            // A block beyond the classes was taken while it was too large to be kept, or the limit was lowered since.
            guard block.capacity <= state.byteLimit / 2, Self.sizeClass(of: block.capacity) == block.capacity else {
                return ([block], false)
            }
            state.blocks.append(block)
            state.statistics.keptByteCount += block.capacity
            state.statistics.keptBlockCount += 1
            defer { state.isSweepScheduled = true }
            return (Self.removeSurplus(&state, keeping: state.byteLimit), !state.isSweepScheduled)
        }
        Self.free(surplus)
        if mustSchedule { scheduleSweep() }
    }

    private func scheduleSweep() {
        schedule(Self.sweepInterval) { [weak self] in self?.sweep() }
    }

    /// Frees as much as was kept, but not needed, since the last sweep.
    private func sweep() {
        let (surplus, goesOn) = state.withLock { state in
            let kept = state.statistics.keptByteCount
            let surplus = Self.removeSurplus(&state, keeping: kept - state.unneededByteCount)
            state.unneededByteCount = state.statistics.keptByteCount
            state.isSweepScheduled = state.statistics.keptByteCount > 0
            return (surplus, state.isSweepScheduled)
        }
        Self.free(surplus)
        if goesOn { scheduleSweep() }
    }

    /// Takes the longest waiting blocks out, which the caller frees once the lock is released: that is a system call.
    private static func removeSurplus(_ state: inout State, keeping byteLimit: Int) -> [MemoryBlock] {
        var count = 0
        while state.statistics.keptByteCount > byteLimit {
            state.statistics.keptByteCount -= state.blocks[count].capacity
            count += 1
        }
        guard count > 0 else { return [] }
        let surplus = Array(state.blocks.prefix(count))
        state.blocks.removeFirst(count)
        state.statistics.keptBlockCount -= count
        state.unneededByteCount = min(state.unneededByteCount, state.statistics.keptByteCount)
        return surplus
    }

    private static func free(_ blocks: [MemoryBlock]) {
        for block in blocks { block.free() }
    }

    /// `byteCount` rounded up to the next of 1, 1.25, 1.5 and 1.75 times a power of two.
    private static func sizeClass(of byteCount: Int) -> Int {
        let step = 1 << (Int.bitWidth - 1 - (byteCount - 1).leadingZeroBitCount - 2)
        return (byteCount + step - 1) & ~(step - 1)
    }

    /// Runs an action on a thread of Dispatch that is no part of Swift's pool.
    package static let onDispatch: Schedule = { delay, action in
        let milliseconds = delay / .milliseconds(1)
        sweeping.asyncAfter(deadline: .now() + .milliseconds(Int(milliseconds)), execute: action)
    }

    private static let sweeping = DispatchQueue(label: "halcyon.memory")
}
