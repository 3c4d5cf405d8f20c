internal import HalcyonRaster

extension Bitmap {
    /// A bitmap to decode into.
    static func forDecoding(_ size: PixelSize, isOpaque: Bool) throws(CodecError) -> Bitmap {
        do {
            return try Bitmap(uninitialized: size, isOpaque: isOpaque)
        } catch {
            throw .bitmap(error)
        }
    }

    /// Whether every pixel has alpha 255. Linear in the number of pixels.
    var hasOnlyOpaquePixels: Bool {
        withUnsafeBytes { pixels in
            for row in 0..<height {
                let alphas = stride(from: row * bytesPerRow + 3, to: row * bytesPerRow + width * 4, by: 4)
                if alphas.contains(where: { pixels[$0] != 255 }) {
                    return false
                }
            }
            return true
        }
    }
}
