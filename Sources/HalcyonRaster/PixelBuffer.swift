internal import Glibc

/// Memory for pixels, aligned to 64 bytes.
///
/// Unchecked: the memory is written only through a uniquely referenced owner (see
/// ``Bitmap/withUnsafeMutableBytes(_:)``), and read-only while it is shared.
package final class PixelBuffer: @unchecked Sendable {
    package let pointer: UnsafeMutableRawPointer
    package let byteCount: Int

    package init(byteCount: Int) throws(BitmapError) {
        guard let pointer = aligned_alloc(64, (byteCount + 63) & ~63) else {
            throw .outOfMemory(byteCount: byteCount)
        }
        self.pointer = pointer
        self.byteCount = byteCount
    }

    deinit {
        free(pointer)
    }

    package func copy() -> PixelBuffer {
        do {
            let copy = try PixelBuffer(byteCount: byteCount)
            copy.pointer.copyMemory(from: pointer, byteCount: byteCount)
            return copy
        } catch {
            fatalError("\(error)")
        }
    }
}
