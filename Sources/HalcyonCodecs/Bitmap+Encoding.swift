internal import HalcyonRaster

extension Bitmap {
    /// Hands out one row after the other, from top to bottom, with straight alpha: red, green, blue, alpha.
    func forEachStraightRow(_ body: (UnsafePointer<UInt8>) -> Void) {
        var straight = [UInt8](repeating: 0, count: width * 4)
        withUnsafeBytes { pixels in
            straight.withUnsafeMutableBufferPointer { straight in
                // A bitmap has at least one pixel, so there are addresses.
                guard let start = pixels.assumingMemoryBound(to: UInt8.self).baseAddress,
                    let row = straight.baseAddress
                else {
                    return
                }
                for y in 0..<height {
                    PixelConversion.unpremultiply(start + y * bytesPerRow, into: row, count: width)
                    body(row)
                }
            }
        }
    }
}
