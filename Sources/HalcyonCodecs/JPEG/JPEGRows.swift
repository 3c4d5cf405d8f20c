internal import CJPEGShim
internal import HalcyonRaster

/// The rows of an image as JPEG stores them: opaque, with transparent pixels on a background.
struct JPEGRows {
    /// Rows of a transparent bitmap are composited in groups, so that no second bitmap of its size is needed.
    private static let groupHeight = 16

    /// Of 8 bits a sample.
    private let bitmap: Bitmap
    private let background: Color

    init(_ bitmap: Bitmap, on background: Color) {
        self.bitmap = bitmap
        self.background = Color(red: background.red, green: background.green, blue: background.blue, alpha: 1)
    }

    /// A Boolean value that indicates whether all pixels are shades of grey. Of an image with colours, few rows are
    /// looked at as a rule.
    var areGray: Bool {
        guard bitmap.isOpaque || background.red == background.green && background.green == background.blue else {
            return false
        }
        return bitmap.withUnsafeBytes { pixels in
            guard let start = pixels.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return false }
            return (0..<bitmap.height).allSatisfy {
                halcyon_jpeg_is_gray(start + $0 * bitmap.bytesPerRow, bitmap.width)
            }
        }
    }

    /// Hands out rows in one or several groups: the address of the first, the bytes from one to the next, their number.
    func forEachGroup(
        _ range: Range<Int>,
        _ body: (UnsafePointer<UInt8>?, Int, Int) throws(CodecError) -> Void
    ) throws(CodecError) {
        guard !bitmap.isOpaque else {
            return try Self.withRows(of: bitmap, range, body)
        }
        var group: Bitmap
        do {
            group = try Bitmap(size: PixelSize(bitmap.width, Self.groupHeight), isOpaque: true)
        } catch {
            throw .bitmap(error)
        }
        for row in stride(from: range.lowerBound, to: range.upperBound, by: Self.groupHeight) {
            group.fill(PixelRect(size: group.size), with: background)
            group.draw(bitmap, at: PixelPoint(0, -row))
            try Self.withRows(of: group, 0..<min(Self.groupHeight, range.upperBound - row), body)
        }
    }

    private static func withRows(
        of bitmap: Bitmap,
        _ range: Range<Int>,
        _ body: (UnsafePointer<UInt8>?, Int, Int) throws(CodecError) -> Void
    ) throws(CodecError) {
        let bytesPerRow = bitmap.bytesPerRow
        let result = bitmap.withUnsafeBytes { pixels -> Result<Void, CodecError> in
            let start = pixels.baseAddress?.assumingMemoryBound(to: UInt8.self)
            return Result { () throws(CodecError) in
                try body(start.map { $0 + range.lowerBound * bytesPerRow }, bytesPerRow, range.count)
            }
        }
        try result.get()
    }
}
