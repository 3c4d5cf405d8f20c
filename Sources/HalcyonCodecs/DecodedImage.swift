public import HalcyonRaster

/// A picture ready to be shown: upright pixels, and what the file said.
public struct DecodedImage: Sendable {
    /// The pixels, with ``ImageInfo/orientation`` already applied, unless ``DecodeOptions/appliesOrientation`` was off.
    public internal(set) var bitmap: Bitmap
    /// The size this picture stands for: larger than ``size`` where the decoder reduced it, equal to it otherwise.
    public let fullSize: PixelSize
    /// What the samples mean, or `nil` for sRGB.
    public var colorProfile: ColorProfile? { header.colorProfile }
    private var header: Header

    /// Shared by all copies. A header holds several references, and counting each of them took most of a hit in memory.
    private final class Header: Sendable {
        let info: ImageInfo
        let colorProfile: ColorProfile?

        init(_ info: ImageInfo, _ colorProfile: ColorProfile?) {
            self.info = info
            self.colorProfile = colorProfile
        }
    }

    /// A picture decoded from a file with this header, at its own or at reduced size.
    ///
    /// - Parameters:
    ///   - bitmap: The pixels.
    ///   - info: What the file says.
    ///   - colorProfile: What the samples of `bitmap` mean. Default: `nil`, sRGB.
    public init(bitmap: Bitmap, info: ImageInfo, colorProfile: ColorProfile? = nil) {
        self.init(bitmap: bitmap, info: info, fullSize: info.displaySize, colorProfile: colorProfile)
    }

    package init(bitmap: Bitmap, info: ImageInfo, fullSize: PixelSize, colorProfile: ColorProfile? = nil) {
        self.init(bitmap: bitmap, header: Header(info, colorProfile), fullSize: fullSize)
    }

    private init(bitmap: Bitmap, header: Header, fullSize: PixelSize) {
        self.bitmap = bitmap
        self.header = header
        self.fullSize = fullSize
    }

    /// Says that the pixels are sRGB.
    mutating func removeColorProfile() {
        header = Header(info, nil)
    }

    /// What the file said; ``ImageInfo/size`` is that of the file, which may be larger than ``bitmap``.
    public var info: ImageInfo { header.info }

    /// The size of the pixels.
    public var size: PixelSize { bitmap.size }

    /// The result of processing this picture.
    public func replacingBitmap(_ bitmap: Bitmap) -> DecodedImage {
        DecodedImage(bitmap: bitmap, header: header, fullSize: bitmap.size)
    }
}
