internal import HalcyonRaster

/// The mask behind the pixels of a bitmap in an icon: a bit a pixel, 1 where the screen shows through.
///
/// Where such a pixel has a colour, Windows inverted what was on the screen; it becomes transparent as well.
struct ICOMask {
    private let image: BMPImage
    /// The offset of the mask.
    private let start: Int
    private let bytesPerRow: Int
    /// The rows of the mask that are there.
    private let rowCount: Int

    init(_ image: BMPImage, at start: Int) {
        self.image = image
        self.start = start
        let (width, height) = (image.header.size.width, image.header.size.height)
        bytesPerRow = (width + 31) / 32 * 4
        // The padding behind the last row may be missing.
        let missing = bytesPerRow - (width + 7) / 8
        rowCount = max(0, min(height, (image.bytes.count - start + missing) / bytesPerRow))
    }

    /// A Boolean value that indicates whether the bytes end within the mask.
    var isCutShort: Bool { rowCount < image.header.size.height }

    func apply(to bitmap: inout Bitmap) {
        let (width, pixelBytesPerRow) = (bitmap.width, bitmap.bytesPerRow)
        var isOpaque = true
        bitmap.withUnsafeMutableBytes { pixels in
            for index in 0..<rowCount {
                let maskRow = start + index * bytesPerRow
                let row = image.row(index) * pixelBytesPerRow
                for x in 0..<width where image.bytes[maskRow &+ x >> 3] & 0x80 >> UInt8(x & 7) != 0 {
                    pixels.storeBytes(of: 0, toByteOffset: row &+ x &* 4, as: UInt32.self)
                    isOpaque = false
                }
            }
        }
        bitmap.isOpaque = bitmap.isOpaque && isOpaque
    }
}
