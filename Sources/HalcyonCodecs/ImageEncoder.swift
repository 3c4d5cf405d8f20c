public import FoundationEssentials
public import HalcyonRaster

/// Writes one format. Encoders are values without state: one may be used on many threads at a time.
public protocol ImageEncoder: Sendable {
    /// The format this encoder writes.
    var format: ImageFormat { get }

    /// Encodes a bitmap. ``EncodeOptions/maximumByteCount`` is not its concern, but that of
    /// ``ImageCodecs/encode(_:as:options:)``.
    ///
    /// - Throws: ``CodecError/cannotEncode(_:reason:)``.
    func encode(_ bitmap: Bitmap, options: EncodeOptions) throws(CodecError) -> Data

    /// The settings of the encoder itself that change what it writes, as text for cache keys: encoders of one type with
    /// equal text write equal bytes. Default: empty, for an encoder without settings.
    var cacheIdentity: String { get }

    /// The options that change what the encoder writes of the same pixels. Default: none.
    var choices: EncodeChoices { get }
}

extension ImageEncoder {
    /// Empty.
    public var cacheIdentity: String { "" }

    /// None.
    public var choices: EncodeChoices { [] }
}

/// Options that some encoders have, and others pass over.
public struct EncodeChoices: OptionSet, Sendable, Hashable {
    /// The options as bits.
    public let rawValue: Int

    /// The options of these bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// ``EncodeOptions/quality``, but for `nil`, which is no choice where there is never a loss.
    public static let quality = EncodeChoices(rawValue: 1)
    /// ``EncodeOptions/effort``.
    public static let effort = EncodeChoices(rawValue: 2)
    /// ``EncodeOptions/isProgressive``.
    public static let progressiveOrder = EncodeChoices(rawValue: 4)
}

/// An encoder of files of several pages.
public protocol PageEncoder: ImageEncoder {
    /// Encodes pages, of which there is one at least.
    ///
    /// - Throws: ``CodecError/cannotEncode(_:reason:)``.
    func encode(pages: [Bitmap], options: EncodeOptions) throws(CodecError) -> Data
}

/// An encoder that repacks a JPEG file without decoding its pixels, so that the very same file can be restored.
public protocol JPEGTranscoder: ImageEncoder {
    /// Repacks a JPEG file with all that is in it. Of the options, ``EncodeOptions/effort`` alone matters.
    ///
    /// - Throws: ``CodecError``.
    func transcode(_ jpeg: Data, options: EncodeOptions) throws(CodecError) -> Data

    /// Returns the JPEG file that was repacked; `nil` for a file that was made in another way.
    ///
    /// - Throws: ``CodecError``.
    func restoredJPEG(of data: Data) throws(CodecError) -> Data?
}
