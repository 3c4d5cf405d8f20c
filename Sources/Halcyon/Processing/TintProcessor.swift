public import HalcyonCodecs
public import HalcyonRaster

/// A processor that puts a colour over every pixel of an image.
///
/// With ``BlendMode/normal``, transparent pixels are coloured as well; ``BlendMode/sourceAtop`` keeps the image's shape.
public struct TintProcessor: ImageProcessing {
    /// The colour. Its alpha says how much of the image it covers.
    public let color: Color
    /// The rule by which colour, the source, and image, the backdrop, are put together.
    public let mode: BlendMode

    /// A processor with these parameters.
    public init(color: Color, mode: BlendMode) {
        self.color = color
        self.mode = mode
    }

    /// `true`: each pixel is changed on its own.
    public var scalesWithImage: Bool { true }

    /// Writes colour and mode.
    public func encodeParameters(into encoder: inout CacheKeyEncoder) {
        color.encode(into: &encoder)
        encoder.encode(mode.rawValue)
    }

    /// Returns the tinted image.
    ///
    /// - Throws: ``BitmapError``, `CancellationError`.
    public func process(_ image: DecodedImage, isCancelled: @Sendable () -> Bool) throws -> DecodedImage {
        image.replacingBitmap(try image.bitmap.blended(with: color, mode: mode, isCancelled: isCancelled))
    }
}

extension TintProcessor: PassProcessing {
    func add(to pass: inout BitmapPass, fullSize: PixelSize) -> Bool {
        pass.add(.tint(color, mode: mode))
    }
}
