public import HalcyonCodecs
internal import HalcyonRaster

/// A processor that blurs an image by a Gaussian.
///
/// Beyond the edges, the pixels at the edge go on for ever. The size of the image and its transparency at even areas
/// stay; an opaque image stays opaque. See `Bitmap.blurred(radius:isCancelled:)` for accuracy and limits.
public struct BlurProcessor: ImageProcessing {
    /// The standard deviation of the Gaussian. A radius that is not greater than 0 changes nothing; one of more than
    /// 1,000 pixels counts as that.
    public let radius: ImageLength

    /// A processor with this radius.
    public init(radius: ImageLength) {
        self.radius = radius
    }

    /// A Boolean value that indicates whether the radius is a part of a side.
    public var scalesWithImage: Bool { radius.isRelative }

    /// Returns the processor with a radius in points in pixels.
    public func inPixels(atScale scale: Double) -> BlurProcessor {
        BlurProcessor(radius: radius.inPixels(atScale: scale))
    }

    /// Writes the radius.
    public func encodeParameters(into encoder: inout CacheKeyEncoder) {
        radius.encode(into: &encoder)
    }

    /// Returns the blurred image.
    ///
    /// - Throws: `BitmapError`, `CancellationError`.
    public func process(_ image: DecodedImage, isCancelled: @Sendable () -> Bool) throws -> DecodedImage {
        let radius = radius.pixels(in: image.size)
        return image.replacingBitmap(try image.bitmap.blurred(radius: radius, isCancelled: isCancelled))
    }
}
