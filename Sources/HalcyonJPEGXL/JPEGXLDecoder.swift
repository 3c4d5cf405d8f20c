public import FoundationEssentials
public import HalcyonCodecs
internal import HalcyonRaster

/// Reads JPEG XL (ISO/IEC 18181), bare or in a container: lossy and lossless, of 1 to 32 bits, with alpha, and each
/// frame of animations, composed with those before it.
///
/// Images in libjxl's own colour space come as sRGB, unless they are HDR or ``DecodeOptions/color`` asks for the
/// colours as stored. Four inks become RGB, of 8 bits: by their profile, or else black takes its share of each colour.
/// Spot colours are drawn; other extra channels are left out.
///
/// libjxl 0.7, as Debian 12 builds it, writes to the standard error stream what it finds damaged, and that it was told to
/// end; it has no setting for that.
public struct JPEGXLDecoder: ImageDecoder, ConfinableDecoder, LibraryCodec {
    /// A decoder.
    public init() {}

    /// ``ImageFormat/jxl``.
    public var format: ImageFormat { .jxl }

    package var library: CodecLibrary { .jpegXL }

    package var confinement: DecoderConfinement { .wholeLibrary }

    /// Returns whether the bytes start as a bare code stream or as a container.
    public func recognizes(_ prefix: Data) -> Bool {
        ImageFormat.detect(prefix) == .jxl
    }

    /// Reads the header, and those of the frames of an animation as far as the limit goes.
    ///
    /// - Throws: ``CodecError/truncated(_:)`` where the bytes end before the first frame of an animation, or the colour
    ///   space of a still image, ``CodecError/corrupt(_:reason:)``.
    public func info(of data: Data, limits: DecodeLimits) throws(CodecError) -> ImageInfo {
        try JPEGXLHeader(data, maximumFrameCount: limits.frameCount).info
    }

    /// Decodes one frame.
    public func decode(
        _ data: Data,
        options: DecodeOptions,
        isCancelled: @Sendable () -> Bool
    ) throws -> DecodedImage {
        let reader = try JPEGXLFrameReader(data, options: options)
        let bitmap = try reader.bitmap(ofFrame: options.frame, isCancelled: isCancelled)
        return DecodedImage(
            bitmap: bitmap,
            info: reader.header.info,
            options: options,
            colorProfile: reader.colorProfile,
            isPartial: reader.isPartial
        )
    }

    /// Opens an animation. Frames before the one asked for are skipped where it does not depend on them.
    public func cursor(for data: Data, options: DecodeOptions) throws -> sending any FrameCursor {
        JPEGXLFrameCursor(reader: try JPEGXLFrameReader(data, options: options))
    }
}
