public import HalcyonCodecs
public import HalcyonRaster

/// A processor that scales an image to a size, with a Lanczos-3 filter.
public struct ResizeProcessor: ImageProcessing {
    /// The size, in pixels; for one in points, that at scale 1.
    public let size: PixelSize
    /// The size in points; `nil` for one in pixels.
    public let pointSize: PointSize?
    /// The rule for sides of another ratio.
    public let mode: ResizeMode
    /// A Boolean value that indicates whether smaller images are enlarged.
    public let enlarges: Bool

    /// A processor with these parameters.
    public init(size: PixelSize, mode: ResizeMode, enlarges: Bool) {
        self.size = size
        pointSize = nil
        self.mode = mode
        self.enlarges = enlarges
    }

    /// A processor with a size in points, which becomes pixels by the scale of a request.
    public init(size: PointSize, mode: ResizeMode, enlarges: Bool) {
        self.size = size.pixels(atScale: 1)
        pointSize = size
        self.mode = mode
        self.enlarges = enlarges
    }

    /// A Boolean value that indicates whether the size is in points.
    public var hasLengthsInPoints: Bool { pointSize != nil }

    /// Returns the processor with its size in pixels.
    public func inPixels(atScale scale: Double) -> ResizeProcessor {
        guard let pointSize else { return self }
        return ResizeProcessor(size: pointSize.pixels(atScale: scale), mode: mode, enlarges: enlarges)
    }

    /// Enough pixels for the result.
    public var decodeTarget: DecodeTarget { .resized(size, mode, enlarges: enlarges) }

    /// Returns the size of the result, before anything is cut off.
    public func workingSize(for image: DecodedImage) -> PixelSize {
        // The ratio of the sides is that of the whole image: a decoder that reduced it has rounded its sides.
        mode.resultSize(of: image.fullSize, in: size, enlarges: enlarges)
    }

    /// Writes size, mode, and whether the processor enlarges.
    public func encodeParameters(into encoder: inout CacheKeyEncoder) {
        encoder.encode(size.width)
        encoder.encode(size.height)
        encoder.encode(mode.rawValue)
        encoder.encode(enlarges)
        if let pointSize {
            encoder.encode(pointSize.width)
            encoder.encode(pointSize.height)
        }
    }

    /// Returns the resized image.
    ///
    /// - Throws: ``ProcessingError/emptySize(_:)``, ``BitmapError``, `CancellationError`.
    public func process(_ image: DecodedImage, isCancelled: @Sendable () -> Bool) throws -> DecodedImage {
        guard !size.isEmpty else { throw ProcessingError.emptySize(size) }
        let scaled = workingSize(for: image)
        var bitmap = image.bitmap
        if scaled != bitmap.size {
            bitmap = try bitmap.resampled(to: scaled, isCancelled: isCancelled)
        }
        if mode == .fill, scaled != size {
            bitmap = try bitmap.cropped(to: scaled.cropRect(for: size))
        }
        return image.replacingBitmap(bitmap)
    }
}
