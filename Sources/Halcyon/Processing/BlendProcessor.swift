public import HalcyonCodecs
public import HalcyonRaster

/// A processor that puts an image over a background of one colour.
public struct BlendProcessor: ImageProcessing {
    /// The rule by which image, the source, and background, the backdrop, are put together.
    public let mode: BlendMode
    /// What the image's alpha is multiplied by first, limited to 0…1.
    public let opacity: Double
    /// The background; `nil`: none, which is the same as ``Color/clear``.
    public let background: Color?

    /// A processor with these parameters.
    public init(mode: BlendMode, opacity: Double, background: Color?) {
        self.mode = mode
        self.opacity = opacity
        self.background = background
    }

    /// `true`: each pixel is changed on its own.
    public var scalesWithImage: Bool { true }

    /// Writes mode, opacity and background.
    public func encodeParameters(into encoder: inout CacheKeyEncoder) {
        encoder.encode(mode.rawValue)
        encoder.encode(opacity)
        encoder.encode(background != nil)
        background?.encode(into: &encoder)
    }

    /// Returns the image over the background.
    ///
    /// - Throws: ``BitmapError``, `CancellationError`.
    public func process(_ image: DecodedImage, isCancelled: @Sendable () -> Bool) throws -> DecodedImage {
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
