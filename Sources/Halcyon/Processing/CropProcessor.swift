public import HalcyonCodecs
public import HalcyonRaster

/// A processor that cuts out a part of an image.
public struct CropProcessor: ImageProcessing {
    /// The size of the part, in pixels; for one in points, that at scale 1. It ends at the edges of the image.
    public let size: PixelSize
    /// The size in points; `nil` for one in pixels.
    public let pointSize: PointSize?
    /// The position of the part.
    public let anchor: RelativePoint

    /// A processor with these parameters.
    public init(size: PixelSize, anchor: RelativePoint) {
        self.size = size
        pointSize = nil
        self.anchor = anchor
    }

    /// A processor with a size in points, which becomes pixels by the scale of a request.
    public init(size: PointSize, anchor: RelativePoint) {
        self.size = size.pixels(atScale: 1)
        pointSize = size
        self.anchor = anchor
    }

    /// A Boolean value that indicates whether the size is in points.
    public var hasLengthsInPoints: Bool { pointSize != nil }

    /// Returns the processor with its size in pixels.
    public func inPixels(atScale scale: Double) -> CropProcessor {
        guard let pointSize else { return self }
        return CropProcessor(size: pointSize.pixels(atScale: scale), anchor: anchor)
    }

    /// Returns the size of the part.
    public func workingSize(for image: DecodedImage) -> PixelSize {
        image.size.cropRect(for: size, anchor: anchor).size
    }

    /// Writes size and anchor.
    public func encodeParameters(into encoder: inout CacheKeyEncoder) {
        encoder.encode(size.width)
        encoder.encode(size.height)
        encoder.encode(anchor.x)
        encoder.encode(anchor.y)
        if let pointSize {
            encoder.encode(pointSize.width)
            encoder.encode(pointSize.height)
        }
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
        guard !size.isEmpty else { throw ProcessingError.emptySize(size) }
        return pass.crop(to: pass.size.cropRect(for: size, anchor: anchor))
    }
}
