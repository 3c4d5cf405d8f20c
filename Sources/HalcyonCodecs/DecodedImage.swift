public import HalcyonRaster

/// A picture ready to be shown: upright pixels, and what the file said.
public struct DecodedImage: Sendable {
    /// The pixels, with ``ImageInfo/orientation`` already applied.
    public var bitmap: Bitmap
    /// What the file said; ``ImageInfo/size`` is that of the file, which may be larger than ``bitmap``.
    public var info: ImageInfo

    /// A picture of these pixels, which came from a file with this header.
    public init(bitmap: Bitmap, info: ImageInfo) {
        self.bitmap = bitmap
        self.info = info
    }

    /// The size of the pixels.
    public var size: PixelSize { bitmap.size }
}
