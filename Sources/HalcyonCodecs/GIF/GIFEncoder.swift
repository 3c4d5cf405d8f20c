public import FoundationEssentials
public import HalcyonRaster

/// Writes a still GIF 89a.
///
/// Up to 256 colours are kept exactly; more are reduced by median cut (Heckbert 1982) and dithered by Floyd and
/// Steinberg's error diffusion. Pixels with an alpha below 128 become transparent, all others opaque.
public struct GIFEncoder: ImageEncoder {
    /// An encoder; it has no settings.
    public init() {}

    /// GIF.
    public var format: ImageFormat { .gif }

    /// Encodes a bitmap; ``EncodeOptions/quality`` means nothing here.
    ///
    /// - Throws: ``CodecError/cannotEncode(_:reason:)`` for a side of more than 65,535 pixels,
    ///   ``CodecError/bitmap(_:)`` where the memory cannot be had.
    public func encode(_ bitmap: Bitmap, options: EncodeOptions) throws(CodecError) -> Data {
        var writer = try GIFWriter(size: bitmap.size)
        try writer.append(options.bitmapInSRGB(bitmap).withEightBits())
        return try writer.finish()
    }
}
