public import HalcyonCodecs
public import HalcyonRaster

/// A processor that cuts out a rectangle of an image. ``CropProcessor`` cuts out a part of a given size.
public struct CropAreaProcessor: ImageProcessing {
    /// The rectangle.
    public let area: CropArea

    /// A processor for a rectangle.
    public init(area: CropArea) {
        self.area = area
    }

    /// A Boolean value that indicates whether the rectangle is in parts of the sides.
    public var scalesWithImage: Bool { area.scalesWithImage }

    /// Returns the processor with its rectangle in pixels.
    public func inPixels(atScale scale: Double) -> CropAreaProcessor {
        CropAreaProcessor(area: area.inPixels(atScale: scale))
    }

    /// Returns the size of the part.
    public func workingSize(for image: DecodedImage) -> PixelSize { area.pixels(in: image.size).size }

    /// Writes the rectangle.
    public func encodeParameters(into encoder: inout CacheKeyEncoder) {
        area.encode(into: &encoder)
    }

    /// Returns the part of the image.
    ///
    /// - Throws: ``ProcessingError/emptyArea(_:of:)``, ``BitmapError``, `CancellationError`.
    public func process(_ image: DecodedImage, isCancelled: @Sendable () -> Bool) throws -> DecodedImage {
        try processInOnePass(image, isCancelled: isCancelled)
    }
}

extension CropAreaProcessor: PassProcessing {
    func add(to pass: inout BitmapPass, fullSize: PixelSize) throws -> Bool {
        let rect = area.pixels(in: pass.size)
        guard !rect.isEmpty else { throw ProcessingError.emptyArea(area, of: pass.size) }
        return pass.crop(to: rect)
    }
}
