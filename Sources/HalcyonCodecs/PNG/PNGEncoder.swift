public import FoundationEssentials
public import HalcyonRaster

/// Writes PNG and animated PNG (W3C PNG, third edition) without loss: as a palette or shades of grey where they hold
/// every pixel exactly, RGB where all are opaque, RGBA with straight alpha otherwise; 8 or 16 bits a sample as the
/// bitmap has; marked as sRGB unless another profile is embedded.
public struct PNGEncoder: ImageEncoder {
    /// An encoder; it has no settings.
    public init() {}

    /// PNG.
    public var format: ImageFormat { .png }

    /// Effort.
    public var choices: EncodeChoices { .effort }

    /// Encodes a bitmap; ``EncodeOptions/quality`` means nothing here.
    ///
    /// Takes about twice the memory of the bitmap.
    ///
    /// - Throws: ``CodecError/cannotEncode(_:reason:)`` for an image whose data would not fit into one chunk of 2^31
    ///   bytes, ``CodecError/bitmap(_:)`` where the memory cannot be had.
    public func encode(_ bitmap: Bitmap, options: EncodeOptions) throws(CodecError) -> Data {
        let metadata = try options.embeddedMetadata(in: .png, of: bitmap.size)
        // A profile of red, green and blue is none for shades of grey (PNG, 11.3.2.3).
        let layout = PNGPixelLayout(for: bitmap, allowsGray: metadata?.iccProfile == nil)
        let compressor = try PNGCompressor(options)
        var writer = PNGChunkWriter()
        try writer.appendHeader(bitmap.size, layout, metadata, compressor)
        try writer.append(.imageData, [], try compressor.compress(bitmap, layout))
        try writer.append(.imageEnd)
        return writer.data
    }
}

extension PNGCompressor {
    /// The rows of a bitmap, filtered and compressed.
    func compress(_ bitmap: Bitmap, _ layout: PNGPixelLayout) throws(CodecError) -> Data {
        let rows: PNGFilteredRows
        do {
            rows = try PNGFilteredRows(bitmap, layout)
        } catch {
            throw .bitmap(error)
        }
        return try compress(rows.buffer.pointer, count: rows.byteCount)
    }
}
