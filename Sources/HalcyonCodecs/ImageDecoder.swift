public import FoundationEssentials

/// Reads one format. Decoders are values without state: one may be used on many threads at a time.
public protocol ImageDecoder: Sendable {
    /// The format this decoder reads.
    var format: ImageFormat { get }

    /// Returns whether these first bytes of a file (up to 64, fewer if the file is shorter) belong to the format.
    func recognizes(_ prefix: Data) -> Bool

    /// Reads the header. `data` may be the beginning of a file only.
    ///
    /// - Throws: ``CodecError/truncated(_:)`` where the bytes do not reach far enough,
    ///   ``CodecError/corrupt(_:reason:)``.
    func info(of data: Data, limits: DecodeLimits) throws(CodecError) -> ImageInfo

    /// Decodes one frame into premultiplied pixels: upright unless ``DecodeOptions/appliesOrientation`` is off, in the
    /// colours of the file, which ``DecodedImage/colorProfile`` tells. An image is ``DecodedImage/isPartial`` only with
    /// ``DamageHandling/showsWhatIsThere``.
    ///
    /// - Parameter isCancelled: Asked between rows or groups of rows; once it says `true`, decoding ends.
    /// - Throws: ``CodecError``, or `CancellationError`.
    func decode(
        _ data: Data,
        options: DecodeOptions,
        isCancelled: @Sendable () -> Bool
    ) throws -> DecodedImage

    /// Opens an animation at its first frame. Any number of cursors may be open on the same bytes.
    ///
    /// There is a default for formats whose frames do not depend on each other: it calls
    /// ``decode(_:options:isCancelled:)`` for each.
    ///
    /// - Throws: ``CodecError``.
    func cursor(for data: Data, options: DecodeOptions) throws -> sending any FrameCursor

    /// Reads what the file embeds besides its pixels; parts that are damaged or too large are left out.
    ///
    /// There is a default for formats that embed nothing.
    ///
    /// - Throws: ``CodecError`` where the bytes are not of this format at all.
    func metadata(of data: Data) throws(CodecError) -> ImageMetadata
}

extension ImageDecoder {
    /// Nothing.
    public func metadata(of data: Data) throws(CodecError) -> ImageMetadata {
        ImageMetadata()
    }
}
