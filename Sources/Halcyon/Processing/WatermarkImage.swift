public import HalcyonCodecs
public import HalcyonRaster
internal import HalcyonSystem

/// An image that is drawn onto others, with an identity for caches: a checksum of its pixels, computed once.
public struct WatermarkImage: Hashable, Sendable {
    /// The pixels.
    public let bitmap: Bitmap
    /// The XXH3 checksum of the rows without their padding.
    private let checksum: UInt64

    /// Creates a watermark from a bitmap. Reads all pixels once.
    public init(_ bitmap: Bitmap) {
        self.bitmap = bitmap
        let checksum = Checksum()
        bitmap.withUnsafeBytes { bytes in
            for y in 0..<bitmap.height {
                let row = bytes[(y * bitmap.bytesPerRow)...].prefix(bitmap.width * bitmap.bytesPerPixel)
                checksum.update(UnsafeRawBufferPointer(rebasing: row))
            }
        }
        self.checksum = checksum.value
    }

    /// Creates a watermark from an image. Its pixels are converted to sRGB if they are not.
    public init(_ image: DecodedImage) {
        var image = image
        // Never thrown: nothing cancels it.
        try? image.convertToSRGB()
        self.init(image.bitmap)
    }

    /// Returns whether both have the same size, depth and checksum.
    public static func == (left: WatermarkImage, right: WatermarkImage) -> Bool {
        left.checksum == right.checksum && left.bitmap.size == right.bitmap.size
            && left.bitmap.depth == right.bitmap.depth
    }

    /// Hashes the checksum.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(checksum)
    }

    /// Writes size, depth and checksum.
    func encode(into encoder: inout CacheKeyEncoder) {
        encoder.encode(bitmap.width)
        encoder.encode(bitmap.height)
        encoder.encode(bitmap.depth.rawValue)
        encoder.encode(Int(truncatingIfNeeded: checksum))
    }
}
