/// A block of a ``MemoryPool``, which gets it back when the last reference ends.
///
/// Unchecked: the owner of the only reference may write to the memory; while it is shared it is only read.
package final class PooledMemory: @unchecked Sendable {
    /// The first byte, aligned to 64 bytes.
    package let pointer: UnsafeMutableRawPointer
    private let block: MemoryBlock
    private let pool: MemoryPool

    /// At least `byteCount` bytes with arbitrary contents; `nil` where they cannot be had.
    package init?(byteCount: Int, pool: MemoryPool = .shared) {
        guard let block = pool.take(byteCount: byteCount) else { return nil }
        self.block = block
        self.pool = pool
        pointer = block.pointer
    }

    deinit {
        pool.giveBack(block)
    }

    /// As many bytes as there is room for.
    package var capacity: Int { block.capacity }
}
