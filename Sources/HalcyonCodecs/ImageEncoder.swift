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
}

extension ImageEncoder {
    /// Empty.
    public var cacheIdentity: String { "" }
}

/// The options for turning pixels into encoded bytes.
public struct EncodeOptions: Sendable, Hashable {
    /// 1 (smallest) to 100 (best), where the format is lossy. For WebP, `nil` means lossless. Default: 85.
    public var quality: Int?
    /// The colour behind transparent pixels in a format without transparency (JPEG); its own alpha does not count.
    /// Default: white.
    public var background: Color

    /// The most bytes the result may have, or `nil` for any number. Quality is lowered from ``quality`` as far as
    /// needed; a format without a quality cannot yield. Default: `nil`.
    public var maximumByteCount: Int?
    /// The metadata embedded besides the pixels, or `nil` for none. An orientation in ``ImageMetadata/exif`` is written
    /// as ``orientation``, that of the pixels. Of profiles, ``colorProfile`` alone counts: the one in
    /// ``ImageMetadata/iccProfile`` is that of the file it was read from, whose colours have become sRGB as a rule.
    /// Default: `nil`.
    public var metadata: ImageMetadata?
    /// The colours of the pixels, such as ``DecodedImage/colorProfile``, or `nil` for sRGB. Embedded as an ICC profile
    /// where the format has a place for one. Default: `nil`.
    public var colorProfile: ColorProfile?
    /// The orientation of the pixels, such as ``ImageInfo/orientation`` of an image that was decoded without
    /// ``DecodeOptions/appliesOrientation``. Embedded where the format has a place for it: in EXIF (JPEG, PNG, WebP), or
    /// in the header as well (AVIF, JPEG XL, TIFF). Default: ``Orientation/up``.
    public var orientation: Orientation

    /// Options with a default for everything.
    public init(
        quality: Int? = 85,
        background: Color = .white,
        maximumByteCount: Int? = nil,
        metadata: ImageMetadata? = nil,
        colorProfile: ColorProfile? = nil,
        orientation: Orientation = .up
    ) {
        self.quality = quality
        self.background = background
        self.maximumByteCount = maximumByteCount
        self.metadata = metadata
        self.colorProfile = colorProfile
        self.orientation = orientation
    }
}

extension EncodeOptions {
    /// What an encoder embeds besides the pixels: ``metadata`` with the profile and the orientation of the pixels in
    /// place of any other.
    ///
    /// - Throws: ``CodecError/cannotEncode(_:reason:)`` for colours that no profile can be made of, such as those of a
    ///   high dynamic range.
    func embeddedMetadata(in format: ImageFormat) throws(CodecError) -> ImageMetadata? {
        guard metadata != nil || colorProfile != nil || orientation != .up else { return nil }
        var embedded = metadata ?? ImageMetadata()
        embedded.exif = EXIF.block(embedded.exif, orientation: orientation)
        embedded.iccProfile =
            switch colorProfile {
            case .icc(let profile)? where ICCProfile.isProfile(profile, for: .inks): nil
            // Encoders write red, green and blue.
            case .icc(let profile)? where ICCProfile.isProfile(profile, for: .gray):
                ICCProfileWriter.profile(widening: profile)
            case .icc(let profile)?: profile
            case .codePoints(let primaries, let transfer)?:
                ICCProfileWriter.profile(primaries: primaries, transfer: transfer)
            case nil: nil
            }
        guard (embedded.iccProfile == nil) == (colorProfile == nil) else {
            throw .cannotEncode(format, reason: "colours of which no profile for red, green and blue can be made")
        }
        return embedded
    }
}
