internal import HalcyonCodecs
internal import HalcyonRaster

/// A processor that sharpens an image by an unsharp mask.
struct SharpenProcessor: ImageProcessing {
    let radius: ImageLength
    let amount: Double
    let threshold: Double

    func inPixels(atScale scale: Double) -> SharpenProcessor {
        SharpenProcessor(radius: radius.inPixels(atScale: scale), amount: amount, threshold: threshold)
    }

    /// Returns the size of a bitmap that takes as much memory as the result and the blurred image, which are held at the
    /// same time: the blurred image has 16 bits a sample.
    func workingSize(for image: DecodedImage) -> PixelSize {
        let size = image.size
        return PixelSize(size.width, size.height * (image.bitmap.depth == .eight ? 3 : 2))
    }

    func encodeParameters(into encoder: inout CacheKeyEncoder) {
        radius.encode(into: &encoder)
        encoder.encode(amount)
        encoder.encode(threshold)
    }

    func process(_ image: DecodedImage, isCancelled: @Sendable () -> Bool) throws -> DecodedImage {
        let bitmap = try image.bitmap.sharpened(
            radius: radius.pixels(in: image.size),
            amount: amount,
            threshold: threshold,
            isCancelled: isCancelled
        )
        return image.replacingBitmap(bitmap)
    }
}
