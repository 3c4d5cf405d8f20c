internal import HalcyonCodecs
internal import HalcyonRaster

/// A processor that blurs an image by a Gaussian.
struct BlurProcessor: ImageProcessing {
    let radius: ImageLength

    /// A Boolean value that indicates whether the radius is a part of a side.
    var scalesWithImage: Bool { radius.isRelative }

    func inPixels(atScale scale: Double) -> BlurProcessor {
        BlurProcessor(radius: radius.inPixels(atScale: scale))
    }

    func encodeParameters(into encoder: inout CacheKeyEncoder) {
        radius.encode(into: &encoder)
    }

    func process(_ image: DecodedImage, isCancelled: @Sendable () -> Bool) throws -> DecodedImage {
        let radius = radius.pixels(in: image.size)
        return image.replacingBitmap(try image.bitmap.blurred(radius: radius, isCancelled: isCancelled))
    }
}
