public import HalcyonCodecs
public import HalcyonRaster

/// A processor that cuts out a part of an image.
public struct CropProcessor: ImageProcessing {
    /// The size of the part, which ends at the edges of the image.
    public let size: ImageSize
    /// The position of the part.
    public let anchor: RelativePoint

    /// A processor with these parameters.
    public init(size: ImageSize, anchor: RelativePoint) {
        self.size = size
        self.anchor = anchor
    }

    /// Returns the processor with its size in pixels.
    public func inPixels(atScale scale: Double) -> CropProcessor {
        CropProcessor(size: .pixels(size.pixels(atScale: scale)), anchor: anchor)
    }

    /// Returns the size of the part.
    public func workingSize(for image: DecodedImage) -> PixelSize {
        image.size.cropRect(for: size.pixels(), anchor: anchor).size
    }

    /// Writes size and anchor.
    public func encodeParameters(into encoder: inout CacheKeyEncoder) {
        size.encodePixels(into: &encoder)
        encoder.encode(anchor.x)
        encoder.encode(anchor.y)
        size.encodePoints(into: &encoder)
    }

    /// Returns the part of the image.
    ///
    /// - Throws: ``ProcessingError/emptySize(_:)``, ``BitmapError``, `CancellationError`.
    public func process(_ image: DecodedImage, isCancelled: @Sendable () -> Bool) throws -> DecodedImage {
        try processInOnePass(image, isCancelled: isCancelled)
    }
}

extension CropProcessor: PassProcessing {
    func add(to pass: inout BitmapPass, fullSize: PixelSize) throws -> Bool {
        let size = size.pixels()
        guard !size.isEmpty else { throw ProcessingError.emptySize(size) }
        return pass.crop(to: pass.size.cropRect(for: size, anchor: anchor))
    }
}
