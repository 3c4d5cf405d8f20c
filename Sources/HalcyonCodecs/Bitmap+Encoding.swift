internal import HalcyonRaster

extension Bitmap {
    /// The image with 8 bits a sample, for formats and encoders that have no more.
    func withEightBits() throws(CodecError) -> Bitmap {
        do {
            return try converted(to: .eight)
        } catch {
            throw .bitmap(error)
        }
    }

    /// Hands out one row after the other, from top to bottom, with straight alpha: red, green, blue, alpha, of 8 bits.
    func forEachStraightRow(_ body: (UnsafePointer<UInt8>) -> Void) {
        precondition(depth == .eight, "an image of 16 bits a sample is converted first")
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
