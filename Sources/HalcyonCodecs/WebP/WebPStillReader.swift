internal import CWebP
internal import FoundationEssentials
internal import HalcyonRaster

/// Decodes one image: that of a file, or that of a frame.
///
/// libwebp has no way to stop a decode, but its incremental decoder costs no more than the other one (17.4 ms against
/// 17.3 ms for 2 megapixels), so that it is fed in slices with a question in between.
enum WebPStillReader {
    private static let minimumSliceByteCount = 8_192
    private static let maximumSliceCount = 64

    /// An image as far as it could be decoded.
    struct Pixels {
        /// Transparent below the last row.
        var bitmap: Bitmap
        let rowCount: Int

        var isPartial: Bool { rowCount < bitmap.height }
    }

    static func pixels(
        of image: WebPBitstream,
        premultiplies: Bool = true,
        damage: DamageHandling,
        isCancelled: () -> Bool
    ) throws -> Pixels {
        let size = image.size
        var bitmap = try Bitmap.forDecoding(size, isOpaque: !image.hasAlpha)
        let bytesPerRow = bitmap.bytesPerRow
        let file = image.file
        let (status, rowCount) = try bitmap.withUnsafeMutableBytes { pixels in
            var output = WebPDecBuffer()
            guard WebPInitDecBuffer(&output) != 0 else {
                throw CodecError.unsupported(.webp, reason: "this version of libwebp")
            }
            output.colorspace = premultiplies ? MODE_rgbA : MODE_RGBA
            output.is_external_memory = 1
            output.u.RGBA.rgba = pixels.baseAddress?.assumingMemoryBound(to: UInt8.self)
            output.u.RGBA.stride = Int32(bytesPerRow)
            output.u.RGBA.size = pixels.count
            let result = try file.withUnsafeBytes { bytes in
                // The decoder keeps the pointer, so that it must not outlive this closure.
                try withUnsafeMutablePointer(to: &output) { output in
                    try decode(bytes, into: output, size, isCancelled: isCancelled)
                }
            }
            // What the decoder has not written to is what the memory was used for before.
            let missing = UnsafeMutableRawBufferPointer(rebasing: pixels[(result.rowCount * bytesPerRow)...])
            missing.initializeMemory(as: UInt8.self, repeating: 0)
            return result
        }
        if status != VP8_STATUS_OK || rowCount < size.height {
            guard damage == .showsWhatIsThere, rowCount > 0, status != VP8_STATUS_OUT_OF_MEMORY else {
                throw error(for: status, size: size, isCutShort: image.isCutShort)
            }
            bitmap.isOpaque = bitmap.isOpaque && rowCount == size.height
        }
        if image.isLossless, bitmap.isOpaque {
            // The header's alpha bit is only a hint (RFC 9649 3.4).
            bitmap.isOpaque = !bitmap.containsTransparency()
        }
        return Pixels(bitmap: bitmap, rowCount: rowCount)
    }

    private static func decode(
        _ bytes: UnsafeRawBufferPointer,
        into output: UnsafeMutablePointer<WebPDecBuffer>,
        _ size: PixelSize,
        isCancelled: () -> Bool
    ) throws -> (VP8StatusCode, rowCount: Int) {
        guard let decoder = WebPINewDecoder(output) else {
            return (VP8_STATUS_OUT_OF_MEMORY, 0)
        }
        defer { WebPIDelete(decoder) }
        let slice = max(minimumSliceByteCount, bytes.count / maximumSliceCount)
        var count = 0
        var status = VP8_STATUS_SUSPENDED
        while status == VP8_STATUS_SUSPENDED, count < bytes.count {
            if isCancelled() {
                throw CancellationError()
            }
            count = min(count + slice, bytes.count)
            status = WebPIUpdate(decoder, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), count)
        }
        return (status, try rowCount(of: decoder, size))
    }

    /// Returns the number of rows that have been written.
    ///
    /// - Throws: ``CodecError/corrupt(_:reason:)`` where they are those of an image of another size.
    static func rowCount(of decoder: OpaquePointer, _ size: PixelSize) throws(CodecError) -> Int {
        var (lastRow, width, height, stride): (Int32, Int32, Int32, Int32) = (0, 0, 0, 0)
        guard WebPIDecGetRGB(decoder, &lastRow, &width, &height, &stride) != nil, lastRow > 0 else {
            return 0
        }
        guard PixelSize(Int(width), Int(height)) == size, lastRow <= height else {
            throw .corrupt(.webp, reason: "an image of \(width)×\(height) instead of \(size) pixels")
        }
        return Int(lastRow)
    }

    /// The error of an image that was not decoded to its end.
    static func error(for status: VP8StatusCode, size: PixelSize, isCutShort: Bool) -> CodecError {
        switch status {
        case VP8_STATUS_SUSPENDED, VP8_STATUS_NOT_ENOUGH_DATA: .truncated(.webp)
        case VP8_STATUS_OUT_OF_MEMORY: .bitmap(.outOfMemory(byteCount: size.bitmapByteCount))
        case VP8_STATUS_UNSUPPORTED_FEATURE: .unsupported(.webp, reason: "a feature that libwebp does not have")
        default: isCutShort ? .truncated(.webp) : .corrupt(.webp, reason: "the image data")
        }
    }
}
