public import HalcyonCodecs
public import HalcyonRaster

/// A processor that rotates an image about its middle by any angle, with smooth edges. Multiples of 90° lose nothing.
public struct RotateProcessor: ImageProcessing {
    /// The angle in degrees, clockwise.
    public let degrees: Double
    /// A Boolean value that indicates whether the result is as large as it takes to show the whole image; otherwise it
    /// has the size of the image.
    public let expands: Bool
    /// The way in which pixels are made that lie between those of the image.
    public let interpolation: Interpolation
    /// The colour beside the image, and behind it; `nil` for none.
    public let background: Color?

    /// A processor with these parameters. Default: expands, bicubic, no background.
    public init(
        degrees: Double,
        expands: Bool = true,
        interpolation: Interpolation = .bicubic,
        background: Color? = nil
    ) {
        self.degrees = degrees
        self.expands = expands
        self.interpolation = interpolation
        self.background = background
    }

    /// A Boolean value that indicates whether the result has the size of the image.
    ///
    /// One that has grown is larger than its part of the whole image, by which images in memory are compared.
    public var scalesWithImage: Bool { !expands }

    /// Returns the size of the rotated image.
    public func workingSize(for image: DecodedImage) -> PixelSize {
        expands ? image.size.rotated(byDegrees: degrees) : image.size
    }

    /// Writes angle, size rule, interpolation and background.
    public func encodeParameters(into encoder: inout CacheKeyEncoder) {
        encoder.encode(degrees)
        encoder.encode(expands)
        encoder.encode(interpolation.rawValue)
        encoder.encode(background != nil)
        background?.encodeComponents(into: &encoder)
    }

    /// Returns the rotated image.
    ///
    /// - Throws: ``BitmapError``, `CancellationError`.
    public func process(_ image: DecodedImage, isCancelled: @Sendable () -> Bool) throws -> DecodedImage {
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
