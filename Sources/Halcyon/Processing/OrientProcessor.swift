internal import HalcyonCodecs
internal import HalcyonRaster

/// A processor that turns an image by quarter turns, or mirrors it, or both: it moves pixels, and loses nothing.
struct OrientProcessor: ImageProcessing {
    let orientation: Orientation

    /// `true`: pixels are moved alike at every size.
    var scalesWithImage: Bool { true }

    /// Returns the size of the image, with its sides exchanged by odd quarter turns.
    func workingSize(for image: DecodedImage) -> PixelSize { orientation.displaySize(of: image.size) }

    func encodeParameters(into encoder: inout CacheKeyEncoder) {
        encoder.encode(orientation.rawValue)
    }

    func process(_ image: DecodedImage, isCancelled: @Sendable () -> Bool) throws -> DecodedImage {
        image.replacingBitmap(try image.bitmap.oriented(orientation, isCancelled: isCancelled))
    }
}
