/// Turns premultiplied pixels into straight ones, as most file formats want them.
enum StraightAlpha {
    /// Converts RGBA pixels of one row: each colour × 255 ÷ alpha, rounded, and 0 where alpha is 0. Both buffers have the
    /// same size, a multiple of 4.
    static func convert(_ source: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer) {
        precondition(source.count == target.count && source.count.isMultiple(of: 4))
        for offset in stride(from: 0, to: source.count, by: 4) {
            let pixel = source.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
            target.storeBytes(
                of: straight(UInt32(littleEndian: pixel)).littleEndian,
                toByteOffset: offset,
                as: UInt32.self
            )
        }
    }

    /// One pixel, alpha in the high byte.
    @inline(__always)
    static func straight(_ pixel: UInt32) -> UInt32 {
        let alpha = pixel >> 24
        if alpha == 255 {
            return pixel
        }
        if alpha == 0 {
            return 0
        }
        // The sum of 255 × 255 and half of alpha fits easily; a colour above its alpha, which is no valid
        // premultiplied pixel, is clamped.
        let red = min(255, ((pixel & 0xff) &* 255 &+ alpha / 2) / alpha)
        let green = min(255, ((pixel >> 8 & 0xff) &* 255 &+ alpha / 2) / alpha)
        let blue = min(255, ((pixel >> 16 & 0xff) &* 255 &+ alpha / 2) / alpha)
        return alpha << 24 | blue << 16 | green << 8 | red
    }
}
