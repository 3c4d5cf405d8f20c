#if HEIC
internal import CHEIF
internal import HalcyonRaster

extension HEIFImageHandle {
    /// Sides that tiles may have in a picture that is smaller.
    private static let greatestTileSide = 1_024

    /// The picture, as shown, premultiplied.
    ///
    /// libheif cannot be interrupted, so that cancellation takes effect before and after decoding.
    func bitmap(limits: DecodeLimits, context: OpaquePointer, isCancelled: () -> Bool) throws -> Bitmap {
        try checkLimits(limits)
        // What the boxes say does not bind the coded pictures; nothing longer than this is decoded.
        // (libheif refuses the limit itself, too.)
        let side = max(size.width, size.height, codedSize.width, codedSize.height, Self.greatestTileSide)
        heif_context_set_maximum_image_size_limit(context, Int32(clamping: side + 1))
        if isCancelled() {
            throw CancellationError()
        }
        let image = try HEIFImage(decoding: self)
        if isCancelled() {
            throw CancellationError()
        }
        return try image.bitmap(isPremultiplied: heif_image_handle_is_premultiplied_alpha(handle) != 0)
    }

    private func checkLimits(_ limits: DecodeLimits) throws(CodecError) {
        let format = container.format
        guard !size.isEmpty else {
            throw .corrupt(format, reason: "it has a size of \(size)")
        }
        for size in [size, codedSize] {
            try limits.check(size, of: format)
        }
        // libheif keeps the coded planes, those of a turned copy, and RGBA, beside our own.
        let planeByteCount = codedSize.area * (hasAlpha ? 4 : 3) * ((bitDepth ?? 8) > 8 ? 2 : 1)
        try limits.checkMemory(
            size.bitmapByteCount,
            codedSize.bitmapByteCount,
            planeByteCount,
            planeByteCount,
            of: format
        )
    }
}

/// A decoded picture: owns libheif's pixels, straight or premultiplied RGBA of 8 bits.
private final class HEIFImage {
    private let image: OpaquePointer
    private let hasAlpha: Bool
    private let format: ImageFormat

    init(decoding picture: HEIFImageHandle) throws(CodecError) {
        guard let options = heif_decoding_options_alloc() else {
            throw .bitmap(.outOfMemory(byteCount: 0))
        }
        defer { heif_decoding_options_free(options) }
        options.pointee.convert_hdr_to_8bit = 1
        var image: OpaquePointer?
        let result = heif_decode_image(
            picture.handle,
            &image,
            heif_colorspace_RGB,
            heif_chroma_interleaved_RGBA,
            options
        )
        try HEIFReader.check(result, picture.container)
        guard let image else {
            throw .corrupt(picture.container.format, reason: "no pixels")
        }
        self.image = image
        hasAlpha = picture.hasAlpha
        format = picture.container.format
    }

    deinit {
        heif_image_release(image)
    }

    func bitmap(isPremultiplied: Bool) throws(CodecError) -> Bitmap {
        var bytesPerRow: Int32 = 0
        let size = PixelSize(
            Int(heif_image_get_width(image, heif_channel_interleaved)),
            Int(heif_image_get_height(image, heif_channel_interleaved))
        )
        guard let rows = heif_image_get_plane_readonly(image, heif_channel_interleaved, &bytesPerRow),
            !size.isEmpty, Int(bytesPerRow) >= size.width * 4
        else {
            throw .corrupt(format, reason: "no pixels")
        }
        var bitmap = try Bitmap.forDecoding(size, isOpaque: !hasAlpha)
        let outBytesPerRow = bitmap.bytesPerRow
        var isOpaque = true
        bitmap.withUnsafeMutableBytes { pixels in
            guard let out = pixels.assumingMemoryBound(to: UInt8.self).baseAddress else {
                return
            }
            for y in 0..<size.height {
                let (source, row) = (rows + y * Int(bytesPerRow), out + y * outBytesPerRow)
                if hasAlpha, !isPremultiplied {
                    isOpaque = PixelConversion.premultiply(source, into: row, count: size.width) && isOpaque
                } else {
                    row.update(from: source, count: size.width * 4)
                }
            }
        }
        if hasAlpha {
            bitmap.isOpaque = isPremultiplied ? !bitmap.containsTransparency() : isOpaque
        }
        return bitmap
    }
}
#endif
