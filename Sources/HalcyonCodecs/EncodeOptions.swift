internal import FoundationEssentials
public import HalcyonRaster

/// The options for turning pixels into encoded bytes.
public struct EncodeOptions: Sendable, Hashable {
    /// 1 (smallest) to 100 (best), where the format is lossy, or `nil` for no loss, which JPEG cannot do (`nil` is 100
    /// there). The colours of a bitmap are multiplied by alpha, so that the straight ones of nearly clear pixels are
    /// those of the original rounded. Default: 85.
    ///
    /// Qualities are those of JPEG as libjpeg defines them, and mean the same in each format: an image in WebP, AVIF or
    /// JPEG XL looks like the JPEG file of that quality, and takes fewer bytes. The measure is the mean score of
    /// SSIMULACRA2 over photographs. PNG, TIFF, BMP, QOI and PAM have no loss, and GIF no quality.
    public var quality: Int?
    /// The work done for a smaller file, from 1 (fastest) to 9 (smallest), or `nil` for the format's default, which
    /// takes about as long as other programs' do. Default: `nil`.
    ///
    /// | | 1 | `nil` | 9 |
    /// |---|---|---|---|
    /// | JPEG, Huffman tables | of T.81 annex K | made from a part of the image (2 to 6) | from all of it (7 to 9) |
    /// | PNG, level of libdeflate | 1 | 4 | 12 |
    /// | WebP, method of libwebp | 0 | 4 | 6 |
    /// | WebP without loss, preset of libwebp | 1 | 6 | 9 |
    /// | AVIF, speed of libavif | 9 | 6 | 1 |
    /// | JPEG XL, effort of libjxl | 1 | 5 | 9 |
    /// | TIFF, level of deflate | 1 | 6 | 9 |
    public var effort: Int?
    /// A Boolean value that indicates whether JPEG is written in scans that each make the whole image sharper. Other
    /// formats do not have them. Default: `false`.
    public var isProgressive: Bool
    /// The resolution of colours in JPEG and AVIF, or `nil` for half of it below a quality of 90, and the full one from
    /// there on. Lossy WebP always has half, JPEG XL always the full one. Default: `nil`.
    public var chromaSampling: ChromaSampling?
    /// A Boolean value that indicates whether WebP is compressed without loss after its pixels were changed a little, by
    /// more the lower ``quality`` is: drawings and screenshots become smaller and keep their edges. Means nothing in
    /// other formats, and without a quality. Default: `false`.
    public var isNearLossless: Bool
    /// The most threads that AVIF is encoded on; other formats take the caller's. The bytes of one thread differ from
    /// those of several, whose number does not matter. Default: 1.
    public var threadCount: Int
    /// The colour behind transparent pixels in a format without transparency (JPEG); its own alpha does not count.
    /// Default: white.
    public var background: Color

    /// The most bytes the result may have, or `nil` for any number. Quality is lowered from ``quality`` as far as
    /// needed; a format without a quality cannot yield. Default: `nil`.
    public var maximumByteCount: Int?
    /// The metadata embedded besides the pixels, or `nil` for none. An orientation in ``ImageMetadata/exif`` is written
    /// as ``orientation``, that of the pixels, and so is a size. Of profiles, ``colorProfile`` alone counts: the one in
    /// ``ImageMetadata/iccProfile`` is that of the file it was read from, whose colours have become sRGB as a rule.
    /// Default: `nil`.
    public var metadata: ImageMetadata?
    /// The colours of the pixels, such as ``DecodedImage/colorProfile``, or `nil` for sRGB. Embedded as an ICC profile
    /// where the format has a place for one; the others (GIF, PAM, QOI) get the pixels in sRGB. Default: `nil`.
    public var colorProfile: ColorProfile?
    /// The orientation of the pixels, such as ``ImageInfo/orientation`` of an image that was decoded without
    /// ``DecodeOptions/appliesOrientation``. Embedded where the format has a place for it: in EXIF (JPEG, PNG, WebP), or
    /// in the header as well (AVIF, JPEG XL, TIFF). Default: ``Orientation/up``.
    public var orientation: Orientation

    /// Options with a default for everything.
    public init(
        quality: Int? = 85,
        effort: Int? = nil,
        isProgressive: Bool = false,
        chromaSampling: ChromaSampling? = nil,
        isNearLossless: Bool = false,
        threadCount: Int = 1,
        background: Color = .white,
        maximumByteCount: Int? = nil,
        metadata: ImageMetadata? = nil,
        colorProfile: ColorProfile? = nil,
        orientation: Orientation = .up
    ) {
        self.quality = quality
        self.effort = effort
        self.isProgressive = isProgressive
        self.chromaSampling = chromaSampling
        self.isNearLossless = isNearLossless
        self.threadCount = threadCount
        self.background = background
        self.maximumByteCount = maximumByteCount
        self.metadata = metadata
        self.colorProfile = colorProfile
        self.orientation = orientation
    }
}

extension EncodeOptions {
    /// Returns a bitmap in sRGB, for a format that has no place for ``colorProfile``.
    func bitmapInSRGB(_ bitmap: Bitmap) -> Bitmap {
        guard let colorProfile else { return bitmap }
        var bitmap = bitmap
        // Cancelled by nobody.
        try? bitmap.convertToSRGB(from: colorProfile)
        return bitmap
    }
}

extension EncodeOptions {
    /// What an encoder embeds besides the pixels: ``metadata`` with the profile, the orientation and the size of the pixels
    /// in place of any other, and without a thumbnail, which may show what the pixels no longer do.
    ///
    /// - Throws: ``CodecError/cannotEncode(_:reason:)`` for colours that no profile can be made of, such as those of a
    ///   high dynamic range.
    package func embeddedMetadata(in format: ImageFormat, of size: PixelSize) throws(CodecError) -> ImageMetadata? {
        guard metadata != nil || colorProfile != nil || orientation != .up else { return nil }
        var embedded = metadata ?? ImageMetadata()
        embedded.exif = EXIF.block(embedded.exif.map(EXIF.withoutThumbnail), orientation: orientation, size: size)
        embedded.xmp = embedded.xmp.map { XMP.block($0, orientation: orientation, size: size) }
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

extension EncodeOptions {
    /// Returns the options for an image of a file: without a quality where its format is the one to write, and has lost
    /// nothing of it so far.
    package func keepingLossless(of info: ImageInfo, in format: ImageFormat) -> EncodeOptions {
        guard info.format == format, info.file.isLossless == true else { return self }
        var options = self
        options.quality = nil
        return options
    }
}

/// The share of the colours that is kept beside the brightness.
public enum ChromaSampling: String, Sendable, Hashable, CaseIterable {
    /// One sample of colour for four pixels: what cameras and the web use.
    case yuv420
    /// One sample of colour for each pixel, which keeps coloured edges and small text sharp.
    case yuv444
}

extension EncodeOptions {
    /// Returns the number of a scale of an encoder that stands for ``effort``: from `slowest` at 9 to `fastest` at 1, in
    /// equal steps.
    package func effort(from fastest: Int, to slowest: Int, default standard: Int) -> Int {
        guard let effort else { return standard }
        let steps = min(max(effort, 1), 9) - 1
        return fastest + ((slowest - fastest) * steps * 2 + (slowest > fastest ? 8 : -8)) / 16
    }

    /// ``quality`` within 1 to 100.
    package var clampedQuality: Int? { quality.map { min(max($0, 1), 100) } }

    /// The sampling of colours in formats that have a choice.
    var effectiveChromaSampling: ChromaSampling {
        chromaSampling ?? ((clampedQuality ?? 100) < 90 ? .yuv420 : .yuv444)
    }
}
