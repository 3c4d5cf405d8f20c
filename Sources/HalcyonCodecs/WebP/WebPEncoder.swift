internal import CWebP
public import FoundationEssentials
public import HalcyonRaster

/// Writes WebP (RFC 9649): lossy with a quality, lossless without one; with alpha where the bitmap has it.
public struct WebPEncoder: ImageEncoder {
    private static let maximumSideLength = Int(WEBP_MAX_DIMENSION)

    /// An encoder.
    public init() {}

    /// ``ImageFormat/webp``.
    public var format: ImageFormat { .webp }

    /// Encodes a bitmap. Qualities are clamped to 1 to 100; `nil` means lossless.
    ///
    /// - Throws: ``CodecError/cannotEncode(_:reason:)`` for sides beyond 16,383 pixels or where memory runs out.
    public func encode(_ bitmap: Bitmap, options: EncodeOptions) throws(CodecError) -> Data {
        _ = try checkedSize(bitmap.size)
        let bitmap = try bitmap.withEightBits()
        var config = try configuration(quality: options.quality)
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
        picture.use_argb = options.quality == nil ? 1 : 0
        picture.width = Int32(bitmap.width)
        picture.height = Int32(bitmap.height)
        guard Self.copy(bitmap, to: &picture) else {
            throw .cannotEncode(.webp, reason: "out of memory")
        }
        // The image only borrows the writer, for the time of the call.
        let isEncoded = withUnsafeMutablePointer(to: &writer) { writer in
            picture.writer = WebPMemoryWrite
            picture.custom_ptr = UnsafeMutableRawPointer(writer)
            return WebPEncode(&config, &picture) != 0
        }
        guard isEncoded, let bytes = writer.mem else {
            throw .cannotEncode(.webp, reason: "libwebp's error \(picture.error_code.rawValue)")
        }
        let metadata = try options.embeddedMetadata(in: .webp)
        return try WebPMetadataWriter.embed(metadata, in: Data(bytes: bytes, count: writer.size))
    }

    func checkedSize(_ size: PixelSize) throws(CodecError) -> PixelSize {
        guard max(size.width, size.height) <= Self.maximumSideLength else {
            throw .cannotEncode(.webp, reason: "\(size) pixels; a side can have \(Self.maximumSideLength)")
        }
        return size
    }

    func configuration(quality: Int?) throws(CodecError) -> WebPConfig {
        var config = WebPConfig()
        guard WebPConfigInit(&config) != 0 else {
            throw .cannotEncode(.webp, reason: "this version of libwebp")
        }
        if let quality {
            config.quality = Float(min(max(quality, 1), 100))
        } else {
            // libwebp's preset for lossless images; 6 of 0 (fast) to 9 (small).
            _ = WebPConfigLosslessPreset(&config, 6)
        }
        return config
    }

    /// libwebp takes straight pixels, and converts them to its own; returns whether there was memory.
    static func copy(_ bitmap: Bitmap, to picture: inout WebPPicture) -> Bool {
        if bitmap.isOpaque {
            return bitmap.withUnsafeBytes { pixels in
                let rows = pixels.baseAddress?.assumingMemoryBound(to: UInt8.self)
                return WebPPictureImportRGBX(&picture, rows, Int32(bitmap.bytesPerRow)) != 0
            }
        }
        return WebPPictureImportRGBA(&picture, bitmap.straightRGBA(), Int32(bitmap.width * 4)) != 0
    }
}
