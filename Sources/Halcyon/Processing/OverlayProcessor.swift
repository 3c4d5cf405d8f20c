public import HalcyonCodecs
public import HalcyonRaster

/// A processor that mixes an image with a colour that has the image's shape.
///
/// Where the image is transparent, it stays so. Colours are mixed as they are encoded (sRGB).
public struct OverlayProcessor: ImageProcessing {
    /// The colour. Where it is translucent, so is its part of the mixture.
    public let color: Color
    /// The part of the image, limited to 0…1: 0 gives the colour alone, 1 the image.
    public let fraction: Double

    /// A processor with these parameters.
    public init(color: Color, fraction: Double) {
        self.color = color
        self.fraction = fraction
    }

    /// `true`: each pixel is changed on its own.
    public var scalesWithImage: Bool { true }

    /// Writes colour and fraction.
    public func encodeParameters(into encoder: inout CacheKeyEncoder) {
        color.encode(into: &encoder)
        encoder.encode(fraction)
    }

    /// Returns the mixture.
    ///
    /// - Throws: ``BitmapError``, `CancellationError`.
    public func process(_ image: DecodedImage, isCancelled: @Sendable () -> Bool) throws -> DecodedImage {
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
