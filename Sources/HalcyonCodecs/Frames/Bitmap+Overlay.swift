internal import HalcyonRaster

extension Bitmap {
    /// The pixels of an area that lead from another image to this one when they are laid over it: transparent where both
    /// are the same.
    ///
    /// `nil` where an overlay cannot lead there, because a pixel that changes is translucent above one that is seen, and
    /// where fewer than a quarter of the pixels stay the same, so that nothing would be gained.
    ///
    /// - Parameters:
    ///   - area: Lies on both images.
    ///   - other: An image of this size; both have 8 bits a sample.
    func overlay(of area: PixelRect, on other: Bitmap) throws(CodecError) -> Bitmap? {
        var result = try part(area)
        let (width, bytesPerRow) = (result.width, result.bytesPerRow)
        let below = try other.part(area)
        var unchangedCount = 0
        let isPossible = result.withUnsafeMutableBytes { pixels in
            below.withUnsafeBytes { belowPixels in
                for y in 0..<area.size.height {
                    let (row, belowRow) = (y * bytesPerRow, y * below.bytesPerRow)
                    for x in 0..<width {
                        let pixel = pixels.load(fromByteOffset: row &+ 4 &* x, as: UInt32.self)
                        let belowPixel = belowPixels.load(fromByteOffset: belowRow &+ 4 &* x, as: UInt32.self)
                        if pixel == belowPixel {
                            unchangedCount &+= 1
                            pixels.storeBytes(of: 0, toByteOffset: row &+ 4 &* x, as: UInt32.self)
                        } else if !Self.hidesAll(pixel), !Self.isClear(belowPixel) {
                            return false
                        }
                    }
                }
                return true
            }
        }
        guard isPossible, unchangedCount * 4 >= area.size.area else {
            return nil
        }
        result.isOpaque = false
        return result
    }

    /// Alpha is the fourth byte of a pixel.
    private static func hidesAll(_ pixel: UInt32) -> Bool { UInt32(littleEndian: pixel) >> 24 == 255 }

    private static func isClear(_ pixel: UInt32) -> Bool { UInt32(littleEndian: pixel) >> 24 == 0 }
}
