public import HalcyonCodecs
public import HalcyonRaster

/// A processor that sharpens an image by an unsharp mask: what distinguishes it from its blurred self is added to it.
///
/// Alpha stays, and transparent pixels have no part in the mask. See
/// `Bitmap.sharpened(radius:amount:threshold:isCancelled:)`.
public struct SharpenProcessor: ImageProcessing {
    /// The standard deviation of the blur. A radius that is not greater than 0 changes nothing.
    public let radius: ImageLength
    /// The part of the difference that is added, such as 0.5 to 2.
    public let amount: Double
    /// The difference that is left alone, from 0 to 1, so that noise is not sharpened.
    public let threshold: Double

    /// A processor with these parameters.
    public init(radius: ImageLength, amount: Double, threshold: Double) {
        self.radius = radius
        self.amount = amount
        self.threshold = threshold
    }

    /// Returns the processor with a radius in points in pixels.
    public func inPixels(atScale scale: Double) -> SharpenProcessor {
        SharpenProcessor(radius: radius.inPixels(atScale: scale), amount: amount, threshold: threshold)
    }

    /// Returns the size of a bitmap that takes as much memory as the result and the blurred image, which are held at the
    /// same time: the blurred image has 16 bits a sample.
    public func workingSize(for image: DecodedImage) -> PixelSize {
        let size = image.size
        return PixelSize(size.width, size.height * (image.bitmap.depth == .eight ? 3 : 2))
    }

    /// Writes radius, amount and threshold.
    public func encodeParameters(into encoder: inout CacheKeyEncoder) {
        radius.encode(into: &encoder)
        encoder.encode(amount)
        encoder.encode(threshold)
    }

    /// Returns the sharpened image.
    ///
    /// - Throws: `BitmapError`, `CancellationError`.
    public func process(_ image: DecodedImage, isCancelled: @Sendable () -> Bool) throws -> DecodedImage {
        let bitmap = try image.bitmap.sharpened(
            radius: radius.pixels(in: image.size),
            amount: amount,
            threshold: threshold,
            isCancelled: isCancelled
        )
        return image.replacingBitmap(bitmap)
    }
}
