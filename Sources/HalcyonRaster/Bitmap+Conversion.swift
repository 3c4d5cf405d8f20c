internal import CRasterKernels

extension Bitmap {
    /// Creates a bitmap from rows of red, green, blue and alpha, the colours not multiplied by alpha ("straight").
    ///
    /// Products are rounded to nearest. ``isOpaque`` is set according to the pixels.
    ///
    /// - Parameters:
    ///   - rows: rows from top to bottom, 4 bytes a pixel.
    ///   - size: width and height.
    ///   - bytesPerRow: bytes from row to row, `4 * width` by default. The last row may end with its last pixel.
    /// - Throws: ``BitmapError/tooFewBytes(expected:actual:)`` when `rows` is too short for `size`, and as
    ///   ``init(size:isOpaque:depth:)`` does.
    public init(
        premultiplying rows: UnsafeRawBufferPointer,
        size: PixelSize,
        bytesPerRow: Int? = nil
    ) throws(BitmapError) {
        try self.init(rows: rows, bytesPerPixel: 4, size: size, bytesPerRow: bytesPerRow, convert: halcyon_premultiply)
    }

    /// Creates a bitmap of 16 bits a sample from rows of red, green, blue and straight alpha in the byte order of this
    /// machine, 8 bytes a pixel; otherwise as ``init(premultiplying:size:bytesPerRow:)``.
    public init(
        premultiplying16 rows: UnsafeRawBufferPointer,
        size: PixelSize,
        bytesPerRow: Int? = nil
    ) throws(BitmapError) {
        try self.init(rows: rows, bytesPerPixel: 8, size: size, bytesPerRow: bytesPerRow, depth: .sixteen) {
            halcyon_premultiply_16($0, $1, $2)
        }
    }

    /// Creates an opaque bitmap from rows of red, green and blue, 3 bytes a pixel; otherwise as
    /// ``init(premultiplying:size:bytesPerRow:)``.
    public init(rgb rows: UnsafeRawBufferPointer, size: PixelSize, bytesPerRow: Int? = nil) throws(BitmapError) {
        try self.init(rows: rows, bytesPerPixel: 3, size: size, bytesPerRow: bytesPerRow) {
            halcyon_expand_rgb($0, $1, $2)
            return true
        }
    }

    /// Creates an opaque bitmap from rows of brightness, 1 byte a pixel; otherwise as
    /// ``init(premultiplying:size:bytesPerRow:)``.
    public init(gray rows: UnsafeRawBufferPointer, size: PixelSize, bytesPerRow: Int? = nil) throws(BitmapError) {
        try self.init(rows: rows, bytesPerPixel: 1, size: size, bytesPerRow: bytesPerRow) {
            halcyon_expand_gray($0, $1, $2)
            return true
        }
    }

    /// Creates a bitmap from rows of brightness and straight alpha, 2 bytes a pixel; otherwise as
    /// ``init(premultiplying:size:bytesPerRow:)``.
    public init(grayAlpha rows: UnsafeRawBufferPointer, size: PixelSize, bytesPerRow: Int? = nil) throws(BitmapError) {
        try self.init(
            rows: rows,
            bytesPerPixel: 2,
            size: size,
            bytesPerRow: bytesPerRow,
            convert: halcyon_premultiply_gray_alpha
        )
    }

    private init(
        rows: UnsafeRawBufferPointer,
        bytesPerPixel: Int,
        size: PixelSize,
        bytesPerRow: Int?,
        depth: SampleDepth = .eight,
        convert: (UnsafePointer<UInt8>, UnsafeMutablePointer<UInt8>, Int) -> Bool
    ) throws(BitmapError) {
        // Checked before the memory is allocated. No product overflows: an initialiser's sides are at most 2^26.
        guard size.isBitmapSize else { throw .invalidSize(size) }
        let rowByteCount = size.width * bytesPerPixel
        let stride = bytesPerRow ?? rowByteCount
        let (skipped, overflows) = stride.multipliedReportingOverflow(by: size.height - 1)
        let expected = overflows ? Int.max : skipped.addingReportingOverflow(rowByteCount).partialValue
        guard stride >= rowByteCount, expected >= rowByteCount, rows.count >= expected,
            let start = rows.assumingMemoryBound(to: UInt8.self).baseAddress
        else {
            throw .tooFewBytes(expected: max(expected, rowByteCount), actual: rows.count)
        }
        try self.init(uninitialized: size, isOpaque: false, depth: depth)
        let (width, height) = (self.width, self.height)
        isOpaque = withMutableRows { out, outBytesPerRow in
            var isOpaque = true
            for y in 0..<height where !convert(start + y * stride, out + y * outBytesPerRow, width) {
                isOpaque = false
            }
            return isOpaque
        }
    }
}
