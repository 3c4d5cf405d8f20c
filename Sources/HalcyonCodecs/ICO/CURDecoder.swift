public import FoundationEssentials

/// Reads Windows mouse pointers, of which the hot spot is not told.
///
/// Frames and target sizes are those of ``ICODecoder``.
public struct CURDecoder: ImageDecoder, ConfinableDecoder {
    /// A decoder; it has no settings.
    public init() {}

    /// CUR.
    public var format: ImageFormat { .cur }

    package var confinement: DecoderConfinement { .ownCode }

    /// Returns whether the bytes start with the signature of a mouse pointer and a possible first entry.
    public func recognizes(_ prefix: Data) -> Bool {
        ImageFormat.detect(prefix) == .cur
    }

    /// Reads the directory and the header of the best image, which may lie anywhere in the file.
    ///
    /// - Throws: ``CodecError/empty``, ``CodecError/truncated(_:)`` where the bytes do not reach as far as that,
    ///   ``CodecError/corrupt(_:reason:)``.
    public func info(of data: Data, limits: DecodeLimits) throws(CodecError) -> ImageInfo {
        try ICOFile(data, of: .cur, limits: limits).info
    }

    /// Decodes one of the images.
    ///
    /// - Throws: ``CodecError``, or `CancellationError`.
    public func decode(
        _ data: Data,
        options: DecodeOptions,
        isCancelled: @Sendable () -> Bool
    ) throws -> DecodedImage {
        let file = try ICOFile(data, of: .cur, limits: options.limits)
        return try withoutActuallyEscaping(isCancelled) { try file.decode(options, $0) }
    }
}
