internal import CAVIFShim
public import FoundationEssentials
public import HalcyonRaster

/// Writes AVIF by libavif and libaom: stills with 8 bits a sample, or 10 where the bitmap has 16, and animations of 8
/// bits; with alpha where the bitmap has it.
///
/// Without a quality, pixels of 8 bits are kept as they are (the straight ones, of bitmaps with alpha), and the 12
/// upper bits of those of 16.
public struct AVIFEncoder: ImageEncoder, LibraryCodec {
    /// AV1 can say more, but libavif from 1.0 on, and browsers with it, refuse that.
    static let maximumSideLength = 1 << 15

    /// An encoder; it has no settings.
    public init() {}

    /// ``ImageFormat/avif``.
    public var format: ImageFormat { .avif }

    package var library: CodecLibrary { .avif }

    /// Quality and effort.
    public var choices: EncodeChoices { [.quality, .effort] }

    /// Encodes a bitmap. Qualities are clamped to 1 to 100; `nil` means lossless.
    ///
    /// - Throws: ``CodecError/cannotEncode(_:reason:)`` for sides beyond 32,768 pixels, which other readers of AVIF
    ///   refuse, for EXIF that is none, or where libavif fails; ``CodecError/bitmap(_:)`` where memory for the pixels
    ///   cannot be allocated.
    public func encode(_ bitmap: Bitmap, options: EncodeOptions) throws(CodecError) -> Data {
        let writer = try AVIFWriter(options)
        try writer.add(bitmap, hasAlpha: !bitmap.isOpaque, duration: nil)
        return try writer.finish()
    }
}
