public import FoundationEssentials

/// Reads Windows icons: bitmaps with their masks, and PNG.
///
/// The frames are the sizes that the file has, the largest first; of images of one size the one with the most bits a
/// pixel counts. So frame 0 is the best image, whose size ``ImageInfo/size`` is. Frames have no durations: an icon is
/// no animation.
///
/// With a ``DecodeOptions/targetSize``, frame 0 becomes the smallest image that is at least as large and has as many
/// colours as the best one: drawn for that size, it looks better than a larger one made smaller. Sizes are those in the
/// directory, 256 at most.
public struct ICODecoder: ImageDecoder, ConfinableDecoder {
    /// A decoder; it has no settings.
    public init() {}

    /// ICO.
    public var format: ImageFormat { .ico }

    package var confinement: DecoderConfinement { .ownCode }

    /// Returns whether the bytes start with the signature of an icon and a possible first entry.
    public func recognizes(_ prefix: Data) -> Bool {
        ImageFormat.detect(prefix) == .ico
    }

    /// Reads the directory and the header of the best image, which may lie anywhere in the file.
    ///
    /// - Throws: ``CodecError/empty``, ``CodecError/truncated(_:)`` where the bytes do not reach as far as that,
    ///   ``CodecError/corrupt(_:reason:)``.
    public func info(of data: Data, limits: DecodeLimits) throws(CodecError) -> ImageInfo {
        try ICOFile(data, of: .ico, limits: limits).info
    }

    /// Decodes one of the images.
    ///
    /// - Throws: ``CodecError``, or `CancellationError`.
    public func decode(
        _ data: Data,
        options: DecodeOptions,
        isCancelled: @Sendable () -> Bool
    ) throws -> DecodedImage {
        let file = try ICOFile(data, of: .ico, limits: options.limits)
        return try withoutActuallyEscaping(isCancelled) { try file.decode(options, $0) }
    }
}
