public import FoundationEssentials
internal import HalcyonRaster

/// Reads QOI ("The Quite OK Image Format", specification 1.0).
///
/// An image whose last pixel is there is complete, even if the end marker is missing. Of one that is cut short, the rows
/// that are there are shown; the others are transparent.
public struct QOIDecoder: ImageDecoder, ConfinableDecoder {
    /// A decoder; it has no settings.
    public init() {}

    /// QOI.
    public var format: ImageFormat { .qoi }

    package var confinement: DecoderConfinement { .ownCode }

    /// Returns whether the bytes start with "qoif".
    public func recognizes(_ prefix: Data) -> Bool {
        prefix.starts(with: QOIHeader.signature)
    }

    /// Reads the header, which is the first 14 bytes.
    ///
    /// - Throws: ``CodecError/empty``, ``CodecError/truncated(_:)``, ``CodecError/corrupt(_:reason:)``.
    public func info(of data: Data, limits: DecodeLimits) throws(CodecError) -> ImageInfo {
        try QOIHeader(data).info
    }

    /// Decodes the image.
    ///
    /// - Throws: ``CodecError``, or `CancellationError`.
    public func decode(
        _ data: Data,
        options: DecodeOptions,
        isCancelled: @Sendable () -> Bool
    ) throws -> DecodedImage {
        let header = try QOIHeader(data)
        let size = header.size
        try options.limits.check(size, of: .qoi)
        guard options.frame == 0 else {
            throw CodecError.noSuchFrame(options.frame, frameCount: 1)
        }
        try options.limits.checkMemory(size.bitmapByteCount, of: .qoi)
        // Checked before memory is taken: a byte stands for 62 pixels at most.
        let toleratesDamage = options.damage == .showsWhatIsThere
        let greatestCount = SaturatingCount(data.count - QOIHeader.byteCount)
        let leastCount = toleratesDamage ? SaturatingCount(size.width) : size.pixelCount
        guard greatestCount * SaturatingCount(QOIPixelReader.maximumRunLength) >= leastCount else {
            throw CodecError.truncated(.qoi)
        }
        var bitmap = try Bitmap.forDecoding(size, isOpaque: !header.hasAlpha)
        var isPartial = false
        let isOpaque = try data.withUnsafeBytes { bytes in
            var reader = QOIPixelReader(bytes.dropFirst(QOIHeader.byteCount), hasAlpha: header.hasAlpha)
            return try bitmap.decodeRows(0..<size.height, premultiplies: options.premultiplies) { row, y in
                if y & 15 == 0, isCancelled() {
                    throw CancellationError()
                }
                if isPartial || !reader.read(into: row, count: size.width) {
                    guard toleratesDamage, y > 0 else {
                        throw CodecError.truncated(.qoi)
                    }
                    isPartial = true
                    row.update(repeating: 0, count: 4 * size.width)
                }
                return header.hasAlpha || isPartial
            }
        }
        bitmap.isOpaque = isOpaque
        return DecodedImage(bitmap: bitmap, info: header.info, colorProfile: header.colorProfile, isPartial: isPartial)
    }
}
