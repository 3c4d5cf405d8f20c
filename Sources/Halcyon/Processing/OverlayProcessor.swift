internal import HalcyonCodecs
internal import HalcyonRaster

/// A processor that mixes an image with a colour that has the image's shape.
struct OverlayProcessor: ImageProcessing {
    let color: Color
    let fraction: Double

    /// `true`: each pixel is changed on its own.
    var scalesWithImage: Bool { true }

    func encodeParameters(into encoder: inout CacheKeyEncoder) {
        color.encode(into: &encoder)
        encoder.encode(fraction)
    }

    func process(_ image: DecodedImage, isCancelled: @Sendable () -> Bool) throws -> DecodedImage {
        image.replacingBitmap(
            try image.bitmap.overlaid(with: color, fraction: fraction, isCancelled: isCancelled)
        )
    }
}

extension OverlayProcessor: PassProcessing {
    func add(to pass: inout BitmapPass, fullSize: PixelSize) -> Bool {
        pass.add(.overlay(color, fraction: fraction))
    }
}
