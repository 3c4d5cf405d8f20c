internal import HalcyonCodecs
internal import HalcyonRaster

/// A processor that puts a colour over every pixel of an image.
struct TintProcessor: ImageProcessing {
    let color: Color
    let mode: BlendMode

    /// `true`: each pixel is changed on its own.
    var scalesWithImage: Bool { true }

    func encodeParameters(into encoder: inout CacheKeyEncoder) {
        color.encode(into: &encoder)
        encoder.encode(mode.rawValue)
    }

    func process(_ image: DecodedImage, isCancelled: @Sendable () -> Bool) throws -> DecodedImage {
        image.replacingBitmap(try image.bitmap.blended(with: color, mode: mode, isCancelled: isCancelled))
    }
}

extension TintProcessor: PassProcessing {
    func add(to pass: inout BitmapPass, fullSize: PixelSize) -> Bool {
        pass.add(.tint(color, mode: mode))
    }
}
