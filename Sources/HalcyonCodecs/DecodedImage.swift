public import HalcyonRaster

/// An image ready to be shown: upright pixels, and what the file said.
public struct DecodedImage: Sendable {
    private var storage: Storage
    /// The number of pixels of a point, in each direction; greater than 0. Default: 1.
    ///
    /// It changes no pixel. A pipeline sets it in each image that it returns, to the scale of the request.
    public var scale = 1.0

    /// Shared by all copies, so that one reference is counted where an image changes hands: counting several took most
    /// of a hit in memory. It is also cheaper to count than the pixels' own, which the memory cache refers to weakly.
    ///
    /// Unchecked: the bitmap is changed only while no other image shares it, which is also why it is not checked for
    /// exclusive access.
    private final class Storage: @unchecked Sendable {
        @exclusivity(unchecked)
        var bitmap: Bitmap
        let fullSize: PixelSize
        let header: Header
        let animation: ImageAnimation?

        init(_ bitmap: Bitmap, _ fullSize: PixelSize, _ header: Header, _ animation: ImageAnimation?) {
            self.bitmap = bitmap
            self.fullSize = fullSize
            self.header = header
            self.animation = animation
        }
    }

    /// The part of an image that stays the same when it is processed.
    private final class Header: Sendable {
        let info: ImageInfo
        let colorProfile: ColorProfile?
        let isPartial: Bool

        init(_ info: ImageInfo, _ colorProfile: ColorProfile?, isPartial: Bool) {
            self.info = info
            self.colorProfile = colorProfile
            self.isPartial = isPartial
        }
    }

    /// An image decoded from a file with this header, at its own or at reduced size.
    ///
    /// - Parameters:
    ///   - bitmap: The pixels.
    ///   - info: What the file says.
    ///   - colorProfile: What the samples of `bitmap` mean. Default: `nil`, sRGB.
    ///   - isPartial: Whether the file was cut short or damaged. Default: `false`.
    public init(bitmap: Bitmap, info: ImageInfo, colorProfile: ColorProfile? = nil, isPartial: Bool = false) {
        let header = Header(info, colorProfile, isPartial: isPartial)
        storage = Storage(bitmap, info.displaySize, header, nil)
    }

    package init(
        bitmap: Bitmap,
        info: ImageInfo,
        fullSize: PixelSize,
        colorProfile: ColorProfile? = nil,
        isPartial: Bool = false
    ) {
        storage = Storage(bitmap, fullSize, Header(info, colorProfile, isPartial: isPartial), nil)
    }

    /// An image decoded with these options, which stands for the whole of its file, turned or as stored.
    package init(
        bitmap: Bitmap,
        info: ImageInfo,
        options: DecodeOptions,
        colorProfile: ColorProfile? = nil,
        isPartial: Bool = false
    ) {
        self.init(
            bitmap: bitmap,
            info: info,
            fullSize: options.displaySize(of: info),
            colorProfile: colorProfile,
            isPartial: isPartial
        )
    }

    private init(_ storage: Storage) {
        self.storage = storage
    }

    /// The pixels, with ``ImageInfo/orientation`` already applied, unless ``DecodeOptions/appliesOrientation`` was off.
    public internal(set) var bitmap: Bitmap {
        get { storage.bitmap }
        // Changed in place, because a copy would double the memory of an image that is being decoded.
        _modify {
            if !isKnownUniquelyReferenced(&storage) {
                storage = Storage(storage.bitmap, storage.fullSize, storage.header, storage.animation)
            }
            yield &storage.bitmap
        }
    }

    /// The size this image stands for: larger than ``size`` where the decoder reduced it, equal to it otherwise.
    public var fullSize: PixelSize { storage.fullSize }

    /// The colour profile of the samples, or `nil` for sRGB.
    public var colorProfile: ColorProfile? { storage.header.colorProfile }

    /// A Boolean value that indicates whether the file was cut short or damaged, so that some of the pixels are not
    /// those of the image, but grey or transparent. What is made of a partial image is partial, too.
    ///
    /// Only with ``DamageHandling/showsWhatIsThere``.
    public var isPartial: Bool { storage.header.isPartial }

    /// The description in the file's header; ``ImageInfo/size`` is that of the file, which may be larger than
    /// ``bitmap``.
    public var info: ImageInfo { storage.header.info }

    /// The size of the pixels.
    public var size: PixelSize { storage.bitmap.size }

    /// The size in points: ``size`` divided by ``scale``.
    public var pointSize: PointSize { PointSize(size, scale: scale) }

    /// Says that the pixels are sRGB.
    mutating func removeColorProfile() {
        storage = Storage(storage.bitmap, storage.fullSize, Header(info, nil, isPartial: isPartial), storage.animation)
    }

    /// The animation whose first frame this image shows; `nil` for a still image. Default: `nil`.
    ///
    /// A load sets it as ``ImageCodecs/animatedImage(from:options:preloadsFrames:isCancelled:)`` does.
    /// Copies share it.
    public var animation: ImageAnimation? { storage.animation }

    /// The result of processing this image, at the same ``scale``: a still image.
    public func replacingBitmap(_ bitmap: Bitmap) -> DecodedImage {
        var image = DecodedImage(Storage(bitmap, bitmap.size, storage.header, nil))
        image.scale = scale
        return image
    }

    /// Returns the same pixels as the first frame of an animation; with `nil`, as a still image.
    public func replacingAnimation(_ animation: ImageAnimation?) -> DecodedImage {
        guard animation !== storage.animation else { return self }
        var image = DecodedImage(Storage(storage.bitmap, storage.fullSize, storage.header, animation))
        image.scale = scale
        return image
    }
}
