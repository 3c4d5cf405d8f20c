internal import HalcyonCodecs
internal import HalcyonRaster

/// A processor that puts an image over a background of one colour.
struct BlendProcessor: ImageProcessing {
    let mode: BlendMode
    let opacity: Double
    let background: Color?

    /// `true`: each pixel is changed on its own.
    var scalesWithImage: Bool { true }

    func encodeParameters(into encoder: inout CacheKeyEncoder) {
        encoder.encode(mode.rawValue)
        encoder.encode(opacity)
        encoder.encode(background != nil)
        background?.encode(into: &encoder)
    }

    func process(_ image: DecodedImage, isCancelled: @Sendable () -> Bool) throws -> DecodedImage {
        // An opaque image hides the background.
        if mode == .normal, opacity >= 1, image.bitmap.isOpaque { return image }
        let bitmap = try image.bitmap.blended(
            over: background ?? .clear,
            mode: mode,
            opacity: opacity,
            isCancelled: isCancelled
        )
        return image.replacingBitmap(bitmap)
    }
}

extension BlendProcessor: PassProcessing {
    func add(to pass: inout BitmapPass, fullSize: PixelSize) -> Bool {
        // An image that may hide the background keeps its full size then, which the processors after it may look at.
        guard fullSize == pass.size || mode != .normal || opacity < 1 else { return false }
        return pass.add(.background(background ?? .clear, mode: mode, opacity: opacity))
    }
}
