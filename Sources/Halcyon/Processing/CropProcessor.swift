public import HalcyonCodecs
public import HalcyonRaster

/// Cuts out a part of an image.
public struct CropProcessor: ImageProcessing {
    /// In pixels; what exceeds the image is left away.
    public let size: PixelSize
    /// Where the part lies.
    public let anchor: RelativePoint

    /// A processor with these parameters.
    public init(size: PixelSize, anchor: RelativePoint) {
        self.size = size
        self.anchor = anchor
    }

    /// Size and anchor.
    public func encodeParameters(into encoder: inout CacheKeyEncoder) {
        encoder.encode(size.width)
        encoder.encode(size.height)
        encoder.encode(anchor.x)
        encoder.encode(anchor.y)
    }

    /// Crops.
    ///
    /// - Throws: ``ProcessingError/emptySize(_:)``, ``BitmapError``.
    public func process(_ image: DecodedImage, isCancelled: @Sendable () -> Bool) throws -> DecodedImage {
        guard !size.isEmpty else { throw ProcessingError.emptySize(size) }
        let part = image.size.cropRect(for: size, anchor: anchor)
        return image.replacingBitmap(try image.bitmap.cropped(to: part))
    }
}
