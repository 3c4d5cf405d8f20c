internal import HalcyonCodecs
internal import HalcyonRaster

/// A processor that rotates an image about its middle by any angle, with smooth edges. Multiples of 90° lose nothing.
struct RotateProcessor: ImageProcessing {
    let degrees: Double
    let expands: Bool
    let interpolation: Interpolation
    let background: Color?

    /// A Boolean value that indicates whether the result has the size of the image.
    ///
    /// One that has grown is larger than its part of the whole image, by which images in memory are compared.
    var scalesWithImage: Bool { !expands }

    func workingSize(for image: DecodedImage) -> PixelSize {
        expands ? image.size.rotated(byDegrees: degrees) : image.size
    }

    func encodeParameters(into encoder: inout CacheKeyEncoder) {
        encoder.encode(degrees)
        encoder.encode(expands)
        encoder.encode(interpolation.rawValue)
        encoder.encode(background != nil)
        background?.encode(into: &encoder)
    }

    func process(_ image: DecodedImage, isCancelled: @Sendable () -> Bool) throws -> DecodedImage {
        let bitmap = try image.bitmap.rotated(
            byDegrees: degrees,
            expands: expands,
            interpolation: interpolation,
            background: background,
            isCancelled: isCancelled
        )
        return image.replacingBitmap(bitmap)
    }
}
