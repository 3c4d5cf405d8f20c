internal import CWebP
internal import FoundationEssentials
internal import HalcyonRaster

/// Decodes an image that is not animated.
///
/// libwebp has no way to stop a decode, but its incremental decoder costs no more than the other one (17.4 ms against
/// 17.3 ms for 2 megapixels), so that it is fed in slices with a question in between.
enum WebPStillReader {
    private static let minimumSliceByteCount = 8_192
    private static let maximumSliceCount = 64

    static func pixels(
        of data: Data,
        header: WebPHeader,
        premultiplies: Bool = true,
        isCancelled: () -> Bool
    ) throws -> Bitmap {
        var bitmap = try pixels(
            of: data,
            size: header.size,
            hasAlpha: header.hasAlpha,
            isCutShort: header.isCutShort,
            premultiplies: premultiplies,
            isCancelled: isCancelled
        )
        if header.isLossless, !header.hasAlpha {
            // The header's alpha bit is only a hint (RFC 9649 3.4).
            bitmap.isOpaque = !bitmap.containsTransparency()
        }
        return bitmap
    }

    /// Decodes the image in a file, or in the chunks of a frame.
    static func pixels(
        of data: Data,
        size: PixelSize,
        hasAlpha: Bool,
        isCutShort: Bool,
        premultiplies: Bool = true,
        isCancelled: () -> Bool
    ) throws -> Bitmap {
        var bitmap = try Bitmap.forDecoding(size, isOpaque: !hasAlpha)
        let bytesPerRow = bitmap.bytesPerRow
        let status = try bitmap.withUnsafeMutableBytes { pixels in
            var output = WebPDecBuffer()
            guard WebPInitDecBuffer(&output) != 0 else {
                throw CodecError.unsupported(.webp, reason: "this version of libwebp")
            }
            output.colorspace = premultiplies ? MODE_rgbA : MODE_RGBA
            output.is_external_memory = 1
            output.u.RGBA.rgba = pixels.baseAddress?.assumingMemoryBound(to: UInt8.self)
            output.u.RGBA.stride = Int32(bytesPerRow)
            output.u.RGBA.size = pixels.count
            return try data.withUnsafeBytes { bytes in
                // The decoder keeps the pointer, so that it must not outlive this closure.
                try withUnsafeMutablePointer(to: &output) { output in
                    try decode(bytes, into: output, isCancelled: isCancelled)
                }
            }
        }
        if let error = error(for: status, size: size, isCutShort: isCutShort) {
            throw error
        }
        return bitmap
    }

    private static func decode(
        _ bytes: UnsafeRawBufferPointer,
        into output: UnsafeMutablePointer<WebPDecBuffer>,
        isCancelled: () -> Bool
    ) throws -> VP8StatusCode {
        guard let decoder = WebPINewDecoder(output) else {
            return VP8_STATUS_OUT_OF_MEMORY
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
        return status
    }

    static func error(for status: VP8StatusCode, size: PixelSize, isCutShort: Bool) -> CodecError? {
        switch status {
        case VP8_STATUS_OK: nil
        case VP8_STATUS_SUSPENDED, VP8_STATUS_NOT_ENOUGH_DATA: .truncated(.webp)
        case VP8_STATUS_OUT_OF_MEMORY: .bitmap(.outOfMemory(byteCount: size.bitmapByteCount))
        case VP8_STATUS_UNSUPPORTED_FEATURE: .unsupported(.webp, reason: "a feature that libwebp does not have")
        default: isCutShort ? .truncated(.webp) : .corrupt(.webp, reason: "the image data")
        }
    }
}
