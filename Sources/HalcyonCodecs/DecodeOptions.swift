public import HalcyonRaster

/// The options for turning encoded bytes into pixels.
public struct DecodeOptions: Sendable, Hashable {
    /// The smallest display size that serves the caller. A decoder that can decode at reduced size for less work
    /// (JPEG) may return any size from twice this one up to the file's; others return the file's. Default: `nil`,
    /// the file's own size.
    public var targetSize: PixelSize?
    /// The frame of an animation, from 0, composed with those before it. Default: 0.
    public var frame: Int
    /// The handling of colours that are not sRGB. Default: ``ColorHandling/sRGB``.
    public var color: ColorHandling
    /// A Boolean value that indicates whether a file of more than 8 bits a sample becomes a bitmap of 16 bits a sample.
    /// Default: `false`.
    public var keepsSixteenBits: Bool
    /// A Boolean value that indicates whether the image is turned as the file says. Default: `true`.
    public var appliesOrientation: Bool
    /// A Boolean value that indicates whether a smaller image that the file embeds (EXIF) may be decoded instead, where
    /// it has at least ``targetSize``, or where no target size is given. Default: `false`.
    public var usesEmbeddedThumbnail: Bool
    /// The limits beyond which a file is refused before memory is taken. Default: ``DecodeLimits/standard``.
    public var limits: DecodeLimits
    /// The format to assume of bytes whose beginning tells none; see ``ImageCodecs/decoder(for:hint:)``. Default:
    /// `nil`.
    public var typeHint: ImageFormat?
    /// The most bytes that the bitmap may take; a larger image is scaled down to it, each side to 1 pixel at least.
    ///
    /// ``ImageCodecs/decode(_:options:isCancelled:)`` does so with the result of any decoder, and asks it for no larger
    /// ``targetSize``. JPEG is decoded at 1/8, 1/4 or 1/2 of its sides, and takes about four times as many bytes at
    /// most meanwhile; its size as stored does not count for ``DecodeLimits/pixelCount`` and
    /// ``DecodeLimits/sideLength`` then. Other formats but SVG are decoded whole, and are refused beyond the
    /// ``limits``. Default: `nil`, any number.
    public var largestByteCount: Int?
    /// The most pixels that a side of the bitmap may have; a larger image is scaled down to it as for
    /// ``largestByteCount``. Of both, the one that makes the image smaller counts. Default: `nil`, any number.
    public var largestSideLength: Int?
    /// The frame of a video that is decoded. Default: the one that represents it, see
    /// ``VideoFrame/Time/representative``.
    public var videoFrame: VideoFrame
    /// What becomes of an image whose bytes are cut short or damaged. Default: ``DamageHandling/showsWhatIsThere``.
    public var damage: DamageHandling
    /// A Boolean value that indicates whether colours are multiplied by alpha, as every user of a ``Bitmap`` expects.
    /// Without it the samples of a still image, or of the first frame, stay as the file has them, where the decoder
    /// can: for comparing them exactly with those of other decoders, which a division by alpha could not give back.
    /// Default: `true`.
    package var premultiplies = true
    /// A Boolean value that indicates whether ``frame`` 0 is the first one of an animation also where the file has another
    /// image for programs that play none (APNG), which is shown otherwise. Default: `false`.
    package var readsAnimation = false
    /// A Boolean value that indicates whether ``convertColorsLater()`` was called.
    package var convertsOthersLater = false

    /// Leaves the conversion to sRGB to what follows, where there are fewer pixels. Four inks are still converted: the colours
    /// that remain of them have no profile.
    package mutating func convertColorsLater() {
        convertsOthersLater = color == .sRGB
        color = .asStored
    }

    /// A Boolean value that indicates whether four inks become sRGB by their profile.
    package var convertsInks: Bool { color == .sRGB || convertsOthersLater }

    /// The full size that ``targetSize`` was derived from. An image that stands for it, and that covers the target, is scaled to
    /// it, as a processor would do next: a worker then passes on no more pixels than that. Another one, such as the cover of
    /// a video or a page of another shape, is not. Default: `nil`, none.
    package var scaledFullSize: PixelSize?

    /// The bound on the bitmap; `nil` if there is none.
    package var bitmapLimit: BitmapLimit? {
        largestByteCount == nil && largestSideLength == nil
            ? nil : BitmapLimit(byteCount: largestByteCount, sideLength: largestSideLength)
    }

    /// Options with a default for everything.
    public init(
        targetSize: PixelSize? = nil,
        frame: Int = 0,
        color: ColorHandling = .sRGB,
        keepsSixteenBits: Bool = false,
        appliesOrientation: Bool = true,
        usesEmbeddedThumbnail: Bool = false,
        limits: DecodeLimits = .standard,
        typeHint: ImageFormat? = nil,
        largestByteCount: Int? = nil,
        largestSideLength: Int? = nil,
        videoFrame: VideoFrame = VideoFrame(),
        damage: DamageHandling = .showsWhatIsThere
    ) {
        self.targetSize = targetSize
        self.frame = frame
        self.color = color
        self.keepsSixteenBits = keepsSixteenBits
        self.appliesOrientation = appliesOrientation
        self.usesEmbeddedThumbnail = usesEmbeddedThumbnail
        self.limits = limits
        self.typeHint = typeHint
        self.largestByteCount = largestByteCount
        self.largestSideLength = largestSideLength
        self.videoFrame = videoFrame
        self.damage = damage
    }
}

/// What becomes of an image whose bytes are cut short or damaged.
public enum DamageHandling: Sendable, Hashable {
    /// The pixels that could be decoded are shown, the others grey or transparent, and ``DecodedImage/isPartial`` is
    /// `true`. A file without a single decoded row, or whose header is damaged, remains an error.
    case showsWhatIsThere
    /// Decoding throws ``CodecError/truncated(_:)`` or ``CodecError/corrupt(_:reason:)``.
    case isRefused
}

/// Bounds on what a decoder may be asked to do by a file.
public struct DecodeLimits: Sendable, Hashable {
    /// Pixels of one frame as stored in the file. Default: 268,435,456 (2^28, 1 GiB of pixels).
    public var pixelCount: Int
    /// Pixels of the longest side. Default: 67,108,864 (2^26, the most that a bitmap can have), so that long and narrow
    /// images are bounded by ``pixelCount`` and ``memory``.
    public var sideLength: Int
    /// Frames of an animation. Default: 10,000.
    public var frameCount: Int
    /// Bytes of the decoded image plus what the decoder needs for itself. Default: 1.5 GiB.
    public var memory: Int

    /// The defaults.
    public static let standard = DecodeLimits()

    /// Limits with a default for each.
    public init(
        pixelCount: Int = 1 << 28,
        sideLength: Int = 1 << 26,
        frameCount: Int = 10_000,
        memory: Int = 3 << 29
    ) {
        self.pixelCount = pixelCount
        self.sideLength = sideLength
        self.frameCount = frameCount
        self.memory = memory
    }
}
