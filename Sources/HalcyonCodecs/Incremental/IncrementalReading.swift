public import FoundationEssentials

/// One image that is read while its bytes arrive. It is used by one thread at a time.
///
/// After an error, it is not used any more.
public protocol IncrementalReading: AnyObject {
    /// The part of the image that has been read.
    var progress: IncrementalProgress { get }

    /// A Boolean value that indicates whether the image, once it is complete, is the one that
    /// ``ImageDecoder/decode(_:options:isCancelled:)`` makes of the same bytes with the same options, in every pixel, so
    /// that it need not be decoded once more. It may become `false` while bytes are read.
    ///
    /// There is a default: `false`.
    var matchesWholeDecoding: Bool { get }

    /// Adds bytes; decodes nothing.
    ///
    /// - Throws: ``CodecError``.
    func append(_ bytes: Data) throws

    /// Says that no more bytes come: what is missing is an error of ``advance(isCancelled:)``.
    func end()

    /// Reads up to the end of the next scan or pass, or of the bytes at hand.
    ///
    /// The work of all calls together is linear in the number of bytes and pixels.
    ///
    /// - Returns: Whether there may be more to read without more bytes.
    /// - Throws: ``CodecError``, `CancellationError`.
    func advance(isCancelled: @Sendable () -> Bool) throws -> Bool

    /// Returns the image as far as it has been read, premultiplied, upright unless the options say otherwise, in the
    /// colours of the file. Pixels that are missing are transparent.
    ///
    /// Linear in the number of pixels. Called only once ``IncrementalProgress/coverage`` is greater than 0.
    ///
    /// - Throws: ``CodecError``, `CancellationError`.
    func image(isCancelled: @Sendable () -> Bool) throws -> DecodedImage
}

extension IncrementalReading {
    /// `false`.
    public var matchesWholeDecoding: Bool { false }
}
