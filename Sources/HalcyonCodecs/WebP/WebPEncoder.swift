internal import CWebP
public import FoundationEssentials
public import HalcyonRaster

/// Writes WebP (RFC 9649): lossy with a quality, lossless without one; with alpha where the bitmap has it.
///
/// With ``EncodeOptions/isNearLossless`` and a quality, it is lossless after values were rounded, by less the higher the
/// quality is; 100 changes nothing.
public struct WebPEncoder: ImageEncoder {
    private static let maximumSideLength = Int(WEBP_MAX_DIMENSION)

    /// An encoder.
    public init() {}

    /// ``ImageFormat/webp``.
    public var format: ImageFormat { .webp }

    /// Quality and effort.
    public var choices: EncodeChoices { [.quality, .effort] }

    /// Encodes a bitmap. Qualities are clamped to 1 to 100; `nil` means lossless.
    ///
    /// - Throws: ``CodecError/cannotEncode(_:reason:)`` for sides beyond 16,383 pixels or where libwebp's memory runs out;
    ///   ``CodecError/bitmap(_:)`` where that for the pixels cannot be allocated.
    public func encode(_ bitmap: Bitmap, options: EncodeOptions) throws(CodecError) -> Data {
        _ = try checkedSize(bitmap.size)
        let bitmap = try bitmap.withEightBits()
        var config = try configuration(options)
        var picture = WebPPicture()
        var writer = WebPMemoryWriter()
        guard WebPPictureInit(&picture) != 0 else {
            throw .cannotEncode(.webp, reason: "this version of libwebp")
        }
        WebPMemoryWriterInit(&writer)
        defer {
            WebPPictureFree(&picture)
            WebPMemoryWriterClear(&writer)
        }
        picture.use_argb = config.lossless
        picture.width = Int32(bitmap.width)
        picture.height = Int32(bitmap.height)
        try Self.copy(bitmap, to: &picture)
        // The image only borrows the writer, for the time of the call.
        let isEncoded = withUnsafeMutablePointer(to: &writer) { writer in
            picture.writer = WebPMemoryWrite
            picture.custom_ptr = UnsafeMutableRawPointer(writer)
            return WebPEncode(&config, &picture) != 0
        }
        guard isEncoded, let bytes = writer.mem else {
            throw .cannotEncode(.webp, reason: "libwebp's error \(picture.error_code.rawValue)")
        }
        let metadata = try options.embeddedMetadata(in: .webp, of: bitmap.size)
        return try WebPMetadataWriter.embed(metadata, in: .written(bytes, count: writer.size))
    }

    func checkedSize(_ size: PixelSize) throws(CodecError) -> PixelSize {
        guard max(size.width, size.height) <= Self.maximumSideLength else {
            throw .cannotEncode(.webp, reason: "\(size) pixels; a side can have \(Self.maximumSideLength)")
        }
        return size
    }

    func configuration(_ options: EncodeOptions) throws(CodecError) -> WebPConfig {
        var config = WebPConfig()
        guard WebPConfigInit(&config) != 0 else {
            throw .cannotEncode(.webp, reason: "this version of libwebp")
        }
        guard let quality = options.clampedQuality, !options.isNearLossless else {
            _ = WebPConfigLosslessPreset(&config, Int32(options.effort(from: 1, to: 9, default: 6)))
            config.near_lossless = Int32(options.clampedQuality ?? 100)
            return config
        }
        config.quality = Float(QualityScale.webP.value(of: quality))
        config.method = Int32(options.effort(from: 0, to: 6, default: 4))
        // Of photographs these two, together, make up for a quality that is lower by one (SSIMULACRA2).
        config.sns_strength = 30
        config.filter_sharpness = 7
        return config
    }

    /// Hands out straight pixels to libwebp, which converts them to its own.
    static func copy(_ bitmap: Bitmap, to picture: inout WebPPicture) throws(CodecError) {
        func start(_ pixels: UnsafeRawBufferPointer) -> UnsafePointer<UInt8>? {
            pixels.assumingMemoryBound(to: UInt8.self).baseAddress
        }
        let isCopied =
            if bitmap.isOpaque {
                bitmap.withUnsafeBytes { WebPPictureImportRGBX(&picture, start($0), Int32(bitmap.bytesPerRow)) }
            } else {
                try bitmap.withPackedSamples(hasAlpha: true) {
                    WebPPictureImportRGBA(&picture, start($0), Int32(bitmap.width * 4))
                }
            }
        guard isCopied != 0 else { throw .cannotEncode(.webp, reason: "out of memory") }
    }
}
