public import FoundationEssentials
public import HalcyonCodecs
internal import HalcyonRaster

/// Reads TIFF 6.0 and BigTIFF: every compression and colour model that libtiff has, whole, signed and floating-point
/// samples of 1 to 64 bits, strips, tiles and planes. Pages are frames without durations, each of a size of its own.
///
/// Smaller versions of a page are no frames; one can stand in for its page (``DecodeOptions/usesEmbeddedThumbnail``).
///
/// CMYK becomes sRGB by the profile for it, or RGB by the plain formula; CIELab of 8 and 16 bits becomes sRGB.
/// Floating-point samples stand for light from 0 to 1; what lies beyond is cut off.
public struct TIFFDecoder: ImageDecoder, ConfinableDecoder {
    /// A decoder.
    public init() {}

    /// ``ImageFormat/tiff``.
    public var format: ImageFormat { .tiff }

    package var confinement: DecoderConfinement { .library }

    /// Returns whether the bytes start with a byte order and the number 42 or 43.
    public func recognizes(_ prefix: Data) -> Bool {
        ImageFormat.detect(prefix) == .tiff
    }

    /// Reads the directories. They may stand anywhere in the file, often at its end, so that the beginning of a file
    /// need not be enough.
    ///
    /// - Throws: ``CodecError/truncated(_:)`` where the bytes end before the first directory does,
    ///   ``CodecError/corrupt(_:reason:)``. Pages beyond the limit of frames are not counted, see
    ///   ``ImageInfo/isFrameCountExact``.
    public func info(of data: Data, limits: DecodeLimits) throws(CodecError) -> ImageInfo {
        let file = try TIFFFile(data)
        let chain = try file.chain(maximumCount: limits.frameCount)
        let pages = chain.pages
        return try TIFFDirectory(file, at: pages[0]).info(frameCount: pages.count, isExact: chain.isWhole)
    }

    /// Decodes a page.
    public func decode(
        _ data: Data,
        options: DecodeOptions,
        isCancelled: @Sendable () -> Bool
    ) throws -> DecodedImage {
        try TIFFPages(data, options: options).image(ofPage: options.frame, isCancelled: isCancelled)
    }

    /// Opens the pages for being decoded in any order, each on its own.
    public func cursor(for data: Data, options: DecodeOptions) throws -> sending any FrameCursor {
        try TIFFPages(data, options: options)
    }
}
