public import FoundationEssentials
internal import HalcyonRaster

/// Reads the bitmaps of Windows and OS/2: 1, 2, 4, 8, 16, 24 and 32 bits a pixel, with a palette, with bit fields, or
/// compressed as runs; from the bottom to the top or from the top to the bottom.
///
/// Where files leave room for doubt, images look as browsers show them: pixels that no run reaches are transparent,
/// palette numbers without a colour are black, rows behind the end of a file that is cut short are transparent, and
/// the fourth byte of 32 bits is alpha only if the header says so. Channels of fewer or more than 8 bits become 8;
/// colours whose mask has no bits are 0. A calibrated colour space and an embedded ICC profile (BITMAPV4HEADER and
/// BITMAPV5HEADER) become the ``DecodedImage/colorProfile``.
///
/// Not read are embedded JPEG and PNG, which are meant for printers, Huffman coding of OS/2, CMYK, and 64 bits a pixel.
public struct BMPDecoder: ImageDecoder, ConfinableDecoder {
    /// A decoder; it has no settings.
    public init() {}

    /// BMP.
    public var format: ImageFormat { .bmp }

    package var confinement: DecoderConfinement { .ownCode }

    /// Returns whether "BM" is there, and behind the file header the size of a header that exists.
    public func recognizes(_ prefix: Data) -> Bool {
        ImageFormat.detect(prefix) == .bmp
    }

    /// Reads the header. An embedded colour profile stands behind the pixels, so that the beginning of a file cannot
    /// tell its name.
    ///
    /// - Throws: ``CodecError/empty``, ``CodecError/truncated(_:)``, ``CodecError/corrupt(_:reason:)``,
    ///   ``CodecError/unsupported(_:reason:)``.
    public func info(of data: Data, limits: DecodeLimits) throws(CodecError) -> ImageInfo {
        try header(of: data).header.info(of: .bmp, in: data)
    }

    /// Decodes the image.
    ///
    /// - Throws: ``CodecError``, or `CancellationError`.
    public func decode(
        _ data: Data,
        options: DecodeOptions,
        isCancelled: @Sendable () -> Bool
    ) throws -> DecodedImage {
        let (header, pixelsOffset) = try header(of: data)
        try options.limits.check(header.size, of: .bmp)
        guard options.frame == 0 else {
            throw CodecError.noSuchFrame(options.frame, frameCount: 1)
        }
        try options.limits.checkMemory(header.size.bitmapByteCount, of: .bmp)
        let (bitmap, isPartial, _) = try withoutActuallyEscaping(isCancelled) { isCancelled in
            try data.withUnsafeBytes { bytes in
                try BMPImage(
                    bytes,
                    header,
                    of: .bmp,
                    pixelsOffset: pixelsOffset,
                    premultiplies: options.premultiplies,
                    damage: options.damage,
                    isCancelled: isCancelled
                ).decodeWhatIsThere()
            }
        }
        return DecodedImage(
            bitmap: bitmap,
            info: header.info(of: .bmp, in: data),
            colorProfile: try header.color.profile(in: data, headerStart: header.start),
            isPartial: isPartial
        )
    }

    /// The embedded colour profile.
    ///
    /// - Throws: As ``info(of:limits:)`` does.
    public func metadata(of data: Data) throws(CodecError) -> ImageMetadata {
        let header = try header(of: data).header
        let profile = header.color.embeddedProfile(in: data, headerStart: header.start)
        return ImageMetadata(iccProfile: try .written(copying: profile))
    }

    /// Reads the file header (BITMAPFILEHEADER) and the one behind it.
    private func header(of data: Data) throws(CodecError) -> (header: BMPHeader, pixelsOffset: Int) {
        let reader = ByteReader(data, order: .littleEndian)
        guard !data.isEmpty else {
            throw .empty
        }
        guard "BM".utf8.starts(with: data.prefix(2)) else {
            throw .corrupt(.bmp, reason: "the signature is missing")
        }
        guard let pixelsOffset = reader.uint32(at: 10) else {
            throw .truncated(.bmp)
        }
        return (try BMPHeader(data, at: 14, of: .bmp), pixelsOffset)
    }
}
