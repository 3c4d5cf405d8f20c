internal import CWebP
internal import FoundationEssentials
internal import HalcyonRaster

/// Composes a frame of an animation.
enum WebPAnimationReader {
    /// Frame `index`, from 0. Every frame before it is decoded, because each is drawn on the one before.
    static func frame(
        _ index: Int,
        of data: Data,
        header: WebPHeader,
        isCancelled: () -> Bool
    ) throws -> Bitmap {
        let failure: CodecError =
            header.isCutShort ? .truncated(.webp) : .corrupt(.webp, reason: "the frames of the animation")
        return try data.withUnsafeBytes { bytes in
            var file = WebPData(bytes: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), size: bytes.count)
            var options = WebPAnimDecoderOptions()
            guard WebPAnimDecoderOptionsInit(&options) != 0 else {
                throw CodecError.unsupported(.webp, reason: "this version of libwebp")
            }
            options.color_mode = MODE_rgbA
            guard let decoder = WebPAnimDecoderNew(&file, &options) else {
                throw failure
            }
            defer { WebPAnimDecoderDelete(decoder) }
            var canvas: UnsafeMutablePointer<UInt8>?
            for _ in 0...index {
                if isCancelled() {
                    throw CancellationError()
                }
                var timestamp: Int32 = 0
                guard WebPAnimDecoderGetNext(decoder, &canvas, &timestamp) != 0 else {
                    throw failure
                }
            }
            return try copy(of: canvas, size: header.size, of: decoder)
        }
    }

    /// The canvas belongs to the decoder.
    private static func copy(
        of canvas: UnsafeMutablePointer<UInt8>?,
        size: PixelSize,
        of decoder: OpaquePointer
    ) throws(CodecError) -> Bitmap {
        var info = WebPAnimInfo()
        guard let canvas, WebPAnimDecoderGetInfo(decoder, &info) != 0,
            Int(info.canvas_width) == size.width, Int(info.canvas_height) == size.height
        else {
            throw .corrupt(.webp, reason: "two sizes in one file")
        }
        // Frames need not cover the canvas, which starts out transparent whatever the file says of alpha.
        var bitmap = try Bitmap.forDecoding(size, isOpaque: false)
        let bytesPerRow = bitmap.bytesPerRow
        bitmap.withUnsafeMutableBytes { pixels in
            for row in 0..<size.height {
                let source = UnsafeRawBufferPointer(start: canvas + row * size.width * 4, count: size.width * 4)
                UnsafeMutableRawBufferPointer(rebasing: pixels[(row * bytesPerRow)...]).copyMemory(from: source)
            }
        }
        bitmap.isOpaque = !bitmap.containsTransparency()
        return bitmap
    }
}
