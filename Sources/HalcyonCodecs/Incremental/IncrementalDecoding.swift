public import FoundationEssentials

/// A decoder that can read an image while its bytes arrive.
///
/// ``IncrementalDecoder`` uses it; a program's own decoder may conform as well.
public protocol IncrementalDecoding: ImageDecoder {
    /// Begins to read the first frame of a file.
    ///
    /// - Parameters:
    ///   - beginning: The bytes so far, from the first one on. The reader is given those behind them.
    ///   - options: As for ``ImageDecoder/decode(_:options:isCancelled:)``.
    /// - Throws: ``CodecError/truncated(_:)`` where the bytes do not reach far enough: it is called again with more;
    ///   ``CodecError/unsupported(_:reason:)`` for a file that cannot be read before all of it is there;
    ///   ``CodecError/limitExceeded(_:_:)`` before any memory is taken.
    func incrementalReader(for beginning: Data, options: DecodeOptions) throws -> any IncrementalReading

    /// Returns the smaller image that a file embeds, upright, as far as its beginning has one.
    ///
    /// There is a default for formats that embed none: `nil`.
    ///
    /// - Parameter beginning: Bytes that ``incrementalReader(for:options:)`` accepts.
    /// - Throws: ``CodecError``, `CancellationError`.
    func embeddedThumbnail(
        in beginning: Data,
        options: DecodeOptions,
        isCancelled: @Sendable () -> Bool
    ) throws -> DecodedImage?
}

extension IncrementalDecoding {
    /// `nil`.
    public func embeddedThumbnail(
        in beginning: Data,
        options: DecodeOptions,
        isCancelled: @Sendable () -> Bool
    ) throws -> DecodedImage? {
        nil
    }
}
