public import HalcyonRaster

/// A picture ready to be shown: upright pixels, and what the file said.
public struct DecodedImage: Sendable {
    /// The pixels, with ``ImageInfo/orientation`` already applied.
    public let bitmap: Bitmap
    /// What the file said; ``ImageInfo/size`` is that of the file, which may be larger than ``bitmap``.
    public let info: ImageInfo
    /// The size this picture stands for: larger than ``size`` where the decoder reduced it, equal to it otherwise.
    public let fullSize: PixelSize

    /// A picture decoded from a file with this header, at its own or at reduced size.
    public init(bitmap: Bitmap, info: ImageInfo) {
        self.bitmap = bitmap
        self.info = info
        fullSize = info.displaySize
    }

    package init(bitmap: Bitmap, info: ImageInfo, fullSize: PixelSize) {
        self.bitmap = bitmap
        self.info = info
        self.fullSize = fullSize
    }

    /// The size of the pixels.
    public var size: PixelSize { bitmap.size }

    /// The result of processing this picture.
    public func replacingBitmap(_ bitmap: Bitmap) -> DecodedImage {
        DecodedImage(bitmap: bitmap, info: info, fullSize: bitmap.size)
    }
}
