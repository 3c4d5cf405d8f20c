internal import HalcyonRaster

/// The mask behind the pixels of a bitmap in an icon: a bit a pixel, 1 where the screen shows through.
///
/// Where such a pixel has a colour, Windows inverted what was on the screen; it becomes transparent as well.
struct ICOMask {
    private let picture: BMPPicture
    private let bytesPerRow: Int

    /// - Throws: ``CodecError/truncated(_:)`` where the bytes end within the mask.
    init(_ picture: BMPPicture) throws(CodecError) {
        self.picture = picture
        let (width, height) = (picture.header.size.width, picture.header.size.height)
        bytesPerRow = (width + 31) / 32 * 4
        // The padding behind the last row may be missing.
        guard picture.end + bytesPerRow * (height - 1) + (width + 7) / 8 <= picture.bytes.count else {
            throw .truncated(picture.format)
        }
    }

    func apply(to bitmap: inout Bitmap) {
        let (width, pixelBytesPerRow) = (bitmap.width, bitmap.bytesPerRow)
        var isOpaque = true
        bitmap.withUnsafeMutableBytes { pixels in
            for index in 0..<picture.header.size.height {
                let maskRow = picture.end + index * bytesPerRow
                let row = picture.row(index) * pixelBytesPerRow
                for x in 0..<width where picture.bytes[maskRow &+ x >> 3] & 0x80 >> UInt8(x & 7) != 0 {
                    pixels.storeBytes(of: 0, toByteOffset: row &+ x &* 4, as: UInt32.self)
                    isOpaque = false
                }
            }
        }
        bitmap.isOpaque = bitmap.isOpaque && isOpaque
    }
}
