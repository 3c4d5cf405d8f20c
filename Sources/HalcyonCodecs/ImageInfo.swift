public import HalcyonRaster

/// The description in the header of an encoded image, read without any pixel being decoded.
public struct ImageInfo: Sendable, Hashable, Codable {
    /// The format, found by its first bytes.
    public var format: ImageFormat
    /// The size as stored, before ``orientation`` is applied.
    public var size: PixelSize
    /// The way that stored pixels map to what a person should see: by EXIF, or by `irot` and `imir` (AVIF, HEIC). One
    /// that only an XMP packet states does not count, as in browsers. Default: `.up`.
    public var orientation: Orientation
    /// The number of frames of an animation, or 1. Where a file has to be walked to its end to count them and is cut
    /// short, the frames that can be seen.
    public var frameCount: Int
    /// A Boolean value that indicates whether all frames were counted. `false` where counting them would have taken more
    /// work than a header is worth: there are at least ``frameCount``. Default: `true`.
    public var isFrameCountExact = true
    /// Milliseconds each frame is meant to stay, as the file says, one for each frame; empty for a still image.
    public var frameDurations: [Int]
    /// The number of times that an animation plays: `nil` for a still image, 0 for without end.
    public var loopCount: Int?
    /// Bits of one sample of one channel as stored, 1 to 16, in JPEG XL up to 32 and in TIFF up to 64; of channels with
    /// different numbers the greatest.
    public var bitDepth: Int
    /// A Boolean value that indicates whether the file has an alpha channel or a transparent colour.
    public var hasAlpha: Bool
    /// The colour space of the stored samples.
    public var colorSpace: ColorSpace
    /// The state of the file that the description was read from.
    package var file = FileTraits()

    /// The size a person sees: ``size`` after ``orientation``.
    public var displaySize: PixelSize { orientation.displaySize(of: size) }

    /// A Boolean value that indicates whether the frames are meant to be shown one after the other; the pages of TIFF,
    /// the images of HEIC and the entries of icons are not.
    public var isAnimated: Bool { frameCount > 1 && !frameDurations.isEmpty }

    /// A description with a default for everything but format and size.
    public init(
        format: ImageFormat,
        size: PixelSize,
        orientation: Orientation = .up,
        frameCount: Int = 1,
        frameDurations: [Int] = [],
        loopCount: Int? = nil,
        bitDepth: Int = 8,
        hasAlpha: Bool = false,
        colorSpace: ColorSpace = .sRGB
    ) {
        self.format = format
        self.size = size
        self.orientation = orientation
        self.frameCount = frameCount
        self.frameDurations = frameDurations
        self.loopCount = loopCount
        self.bitDepth = bitDepth
        self.hasAlpha = hasAlpha
        self.colorSpace = colorSpace
    }
}

extension ImageInfo {
    /// What is known of a file besides the image that it describes: descriptions of the same image are equal whatever its
    /// files are.
    package struct FileTraits: Sendable, Hashable, Codable {
        /// A Boolean value that indicates whether the bytes of an animation go to the end of its file; `nil` for a still
        /// image, of which decoding tells what is missing, and where the end was not looked for. `false` also where bytes
        /// end within the second frame, so that the image looks like a still one.
        package var hasEnd: Bool?
        /// A Boolean value that indicates whether the samples are stored without loss, in a format that has the choice;
        /// `nil` where the header does not tell.
        package var isLossless: Bool?

        package static func == (left: FileTraits, right: FileTraits) -> Bool { true }

        package func hash(into hasher: inout Hasher) {}
    }
}

extension KeyedDecodingContainer {
    /// Descriptions that were stored by earlier versions have none.
    func decode(_ type: ImageInfo.FileTraits.Type, forKey key: Key) throws -> ImageInfo.FileTraits {
        try decodeIfPresent(type, forKey: key) ?? ImageInfo.FileTraits()
    }
}

/// The kind of colours that the samples of an image have.
public enum ColorSpace: Sendable, Hashable, Codable, CustomStringConvertible {
    /// sRGB (IEC 61966-2-1), said or assumed.
    case sRGB
    /// Shades of grey, without a profile.
    case gray
    /// Cyan, magenta, yellow, black.
    case cmyk
    /// The colour primaries and transfer characteristics of these numbers (ITU-T H.273).
    case codePoints(primaries: Int, transfer: Int)
    /// An embedded ICC profile with this description, as far as it can be read.
    case icc(description: String)

    /// "sRGB", "gray", "CMYK", the names of the code points such as "BT.2020 PQ", or the name of the profile.
    public var description: String {
        switch self {
        case .sRGB: "sRGB"
        case .gray: "gray"
        case .cmyk: "CMYK"
        case .codePoints(let primaries, let transfer):
            CodePointNames.name(primaries: primaries, transfer: transfer)
        case .icc(let description): description
        }
    }
}
