import HalcyonRaster

extension Bitmap {
    /// Premultiplied samples of a bitmap of 16 bits a sample, row by row without padding.
    var wideSamples: [UInt16] {
        precondition(depth == .sixteen)
        return withUnsafeBytes { bytes in
            (0..<height).flatMap { y in
                (0..<width * 4).map { bytes.load(fromByteOffset: y * bytesPerRow + $0 * 2, as: UInt16.self) }
            }
        }
    }
}
