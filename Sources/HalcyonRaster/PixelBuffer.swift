package import HalcyonSystem
internal import Synchronization

/// Memory for pixels, aligned to 64 bytes, borrowed from a `MemoryPool`.
///
/// Unchecked: the memory is written only through a uniquely referenced owner that is not sealed (see
/// ``isWritable(_:)``), and read-only while it is shared.
package final class PixelBuffer: @unchecked Sendable {
    package let pointer: UnsafeMutableRawPointer
    package let byteCount: Int
    private let block: MemoryBlock
    private let pool: MemoryPool
    private let isSealed = Atomic<Bool>(false)

    /// Creates memory of `byteCount` bytes with arbitrary contents.
    package init(byteCount: Int, pool: MemoryPool = .shared) throws(BitmapError) {
        guard let block = pool.take(byteCount: byteCount, isForPixels: true) else {
            throw .outOfMemory(byteCount: byteCount)
        }
        self.block = block
        pointer = block.pointer
        self.byteCount = byteCount
        self.pool = pool
    }

    deinit {
        pool.giveBack(block)
    }

    /// Notes that a weak reference to the buffer exists, which may become an owner at any time: from now on it is never
    /// written to, however few hold it.
    package func seal() {
        isSealed.store(true, ordering: .releasing)
    }

    /// Returns whether the pixels may be changed in place: the buffer has no other owner, and can get none.
    ///
    /// The caller of ``seal()`` is an owner of the buffer, so that any later single owner sees the seal as well.
    package static func isWritable(_ buffer: inout PixelBuffer) -> Bool {
        isKnownUniquelyReferenced(&buffer) && !buffer.isSealed.load(ordering: .acquiring)
    }

    package func copy() -> PixelBuffer {
        do {
            let copy = try PixelBuffer(byteCount: byteCount, pool: pool)
            copy.pointer.copyMemory(from: pointer, byteCount: byteCount)
            return copy
        } catch {
            // A copy on write has no way to report an error: its caller is a mutation that cannot throw. As with the
            // collections of the standard library, memory that runs out here ends the process.
            fatalError("copying a shared bitmap before writing to it: \(error)")
        }
    }
}
