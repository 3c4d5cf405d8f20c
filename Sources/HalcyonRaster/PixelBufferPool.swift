internal import Glibc
internal import HalcyonConcurrency

/// Keeps the memory of pixel buffers that are no longer used, for the next ones.
///
/// Pages fresh from the system have to be cleared and mapped one by one, which was 26 % of the time to decode a PNG
/// and 30 to 40 % of a full JPEG decode. What the pool keeps is bounded, process-wide, by ``byteLimit``:
///
/// - Buffers up to 64 KiB are left to malloc, which reuses such blocks without system calls.
/// - Larger ones are rounded up to a size class, four to a power of two, so that images of similar size share blocks;
///   at most 25 % is wasted, and only of address space until the pages are touched.
/// - Buffers of more than a quarter of the limit are neither rounded nor kept: one or two of them would displace all
///   others, and clearing pages matters less where so many bytes are decoded.
/// - Above the limit, the blocks that have waited longest are freed first: they are of sizes no longer asked for.
///
/// Unchecked: the blocks that the lock protects are raw pointers, each owned by the pool alone while it waits there.
package final class PixelBufferPool: @unchecked Sendable {
    /// Memory on its way in or out.
    package struct Block {
        package let pointer: UnsafeMutableRawPointer
        package let capacity: Int
    }

    /// What the pool holds and how well it serves.
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

    /// The pool of all bitmaps.
    package static let shared = PixelBufferPool(byteLimit: 64 << 20)

    private struct State {
        var byteLimit: Int
        /// The block returned last stands last. Its pages are the likeliest to be in the processor's caches.
        var blocks: [Block] = []
        var statistics = Statistics()
    }

    private let state: Lock<State>
    private static let smallestPooledByteCount = 64 << 10

    package init(byteLimit: Int) {
        state = Lock(State(byteLimit: byteLimit))
    }

    deinit {
        trim()
    }

    /// Most bytes kept for reuse; 64 MiB by default. Lowering it frees what is too much at once.
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

    /// What the pool holds now.
    package var statistics: Statistics { state.withLock { $0.statistics } }

    /// Whether a block that serves `byteCount` bytes waits here.
    package func keeps(_ byteCount: Int) -> Bool {
        state.withLock { state in state.blocks.contains { $0.capacity == Self.sizeClass(of: byteCount) } }
    }

    /// Frees kept blocks, those that have waited longest first, until no more than `byteCount` bytes are kept.
    package func trim(to byteCount: Int = 0) {
        Self.free(state.withLock { Self.removeSurplus(&$0, keeping: max(0, byteCount)) })
    }

    /// Memory of at least `byteCount` bytes with arbitrary contents, to be returned by ``giveBack(_:)``.
    ///
    /// Complexity: linear in the number of kept blocks, at most `byteLimit` / 64 KiB.
    func take(byteCount: Int) throws(BitmapError) -> Block {
        guard byteCount > 0, byteCount <= Int.max / 2 else { throw .outOfMemory(byteCount: byteCount) }
        let capacity: Int
        if byteCount <= Self.smallestPooledByteCount {
            capacity = Self.roundedToLine(byteCount)
        } else {
            let sizeClass = Self.sizeClass(of: byteCount)
            let (kept, isPooled) = state.withLock { state -> (Block?, Bool) in
                guard sizeClass <= state.byteLimit / 4 else { return (nil, false) }
                guard let index = state.blocks.lastIndex(where: { $0.capacity == sizeClass }) else {
                    state.statistics.missCount += 1
                    return (nil, true)
                }
                state.statistics.hitCount += 1
                state.statistics.keptByteCount -= sizeClass
                state.statistics.keptBlockCount -= 1
                return (state.blocks.remove(at: index), true)
            }
            if let kept { return kept }
            capacity = isPooled ? sizeClass : Self.roundedToLine(byteCount)
        }
        if let pointer = aligned_alloc(64, capacity) {
            return Block(pointer: pointer, capacity: capacity)
        }
        // What waits here may be what is missing.
        trim()
        guard let pointer = aligned_alloc(64, capacity) else { throw .outOfMemory(byteCount: byteCount) }
        return Block(pointer: pointer, capacity: capacity)
    }

    /// Takes memory back from a buffer that has ended.
    func giveBack(_ block: Block) {
        guard block.capacity > Self.smallestPooledByteCount else {
            Self.free([block])
            return
        }
        let surplus = state.withLock { state -> [Block] in
            // A block beyond the classes was taken while it was too large to be kept, or the limit was lowered since.
            guard block.capacity <= state.byteLimit / 4, Self.sizeClass(of: block.capacity) == block.capacity else {
                return [block]
            }
            state.blocks.append(block)
            state.statistics.keptByteCount += block.capacity
            state.statistics.keptBlockCount += 1
            return Self.removeSurplus(&state, keeping: state.byteLimit)
        }
        Self.free(surplus)
    }

    /// Takes the longest waiting blocks out, which the caller frees once the lock is released: that is a system call.
    private static func removeSurplus(_ state: inout State, keeping byteLimit: Int) -> [Block] {
        var count = 0
        while state.statistics.keptByteCount > byteLimit {
            state.statistics.keptByteCount -= state.blocks[count].capacity
            count += 1
        }
        guard count > 0 else { return [] }
        let surplus = Array(state.blocks.prefix(count))
        state.blocks.removeFirst(count)
        state.statistics.keptBlockCount -= count
        return surplus
    }

    private static func free(_ blocks: [Block]) {
        for block in blocks { Glibc.free(block.pointer) }
    }

    private static func roundedToLine(_ byteCount: Int) -> Int { (byteCount + 63) & ~63 }

    /// `byteCount` rounded up to the next of 1, 1.25, 1.5 and 1.75 times a power of two.
    private static func sizeClass(of byteCount: Int) -> Int {
        let step = 1 << (Int.bitWidth - 1 - (byteCount - 1).leadingZeroBitCount - 2)
        return (byteCount + step - 1) & ~(step - 1)
    }
}
