public import HalcyonCodecs
public import HalcyonRaster

/// A processor that cuts out a part of an image.
public struct CropProcessor: ImageProcessing {
    /// The size of the part, in pixels; it ends at the edges of the image.
    public let size: PixelSize
    /// The position of the part.
    public let anchor: RelativePoint

    /// A processor with these parameters.
    public init(size: PixelSize, anchor: RelativePoint) {
        self.size = size
        self.anchor = anchor
    }

    /// Writes size and anchor.
    public func encodeParameters(into encoder: inout CacheKeyEncoder) {
        encoder.encode(size.width)
        encoder.encode(size.height)
        encoder.encode(anchor.x)
        encoder.encode(anchor.y)
    }

    /// Returns the part of the image.
    ///
    /// - Throws: ``ProcessingError/emptySize(_:)``, ``BitmapError``.
    public func process(_ image: DecodedImage, isCancelled: @Sendable () -> Bool) throws -> DecodedImage {
        guard !size.isEmpty else { throw ProcessingError.emptySize(size) }
        let part = image.size.cropRect(for: size, anchor: anchor)
        return image.replacingBitmap(try image.bitmap.cropped(to: part))
    }
}
