public import HalcyonCodecs
public import HalcyonRaster

/// A processor that scales an image to a size.
public struct ResizeProcessor: ImageProcessing {
    /// The size, in pixels; for one in points, that at scale 1.
    public let size: PixelSize
    /// The size in points; `nil` for one in pixels.
    public let pointSize: PointSize?
    /// The rule for sides of another ratio.
    public let mode: ResizeMode
    /// A Boolean value that indicates whether smaller images are enlarged.
    public let enlarges: Bool
    /// The part that stays where ``ResizeMode/fill`` cuts off what extends beyond the size.
    public let anchor: RelativePoint
    /// The filter, and whether it works in linear light.
    public let resampling: Resampling

    /// A processor with these parameters.
    ///
    /// - Parameters:
    ///   - size: In pixels.
    ///   - mode: The rule for sides of another ratio.
    ///   - enlarges: A Boolean value that indicates whether smaller images are enlarged.
    ///   - anchor: The part that stays with ``ResizeMode/fill``. Default: the centre.
    ///   - resampling: Default: ``Resampling/standard``.
    public init(
        size: PixelSize,
        mode: ResizeMode,
        enlarges: Bool,
        anchor: RelativePoint = .center,
        resampling: Resampling = .standard
    ) {
        self.size = size
        pointSize = nil
        self.mode = mode
        self.enlarges = enlarges
        self.anchor = anchor
        self.resampling = resampling
    }

    /// A processor with a size in points, which becomes pixels by the scale of a request; otherwise as the other.
    public init(
        size: PointSize,
        mode: ResizeMode,
        enlarges: Bool,
        anchor: RelativePoint = .center,
        resampling: Resampling = .standard
    ) {
        self.size = size.pixels(atScale: 1)
        pointSize = size
        self.mode = mode
        self.enlarges = enlarges
        self.anchor = anchor
        self.resampling = resampling
    }

    /// A Boolean value that indicates whether the size is in points.
    public var hasLengthsInPoints: Bool { pointSize != nil }

    /// Returns the processor with its size in pixels.
    public func inPixels(atScale scale: Double) -> ResizeProcessor {
        guard let pointSize else { return self }
        return ResizeProcessor(
            size: pointSize.pixels(atScale: scale),
            mode: mode,
            enlarges: enlarges,
            anchor: anchor,
            resampling: resampling
        )
    }

    /// Enough pixels for the result. All where the decoder's way of reducing would show: it sums encoded samples.
    public var decodeTarget: DecodeTarget {
        resampling.allowsReducedDecoding ? .resized(size, mode, enlarges: enlarges) : .full
    }

    /// Returns the size of the result; what is cut off is not made. Where resampling takes much memory of its own, as
    /// the rows that are summed in linear light and the weights of very long sides, that of a bitmap which also has
    /// that.
    public func workingSize(for image: DecodedImage) -> PixelSize {
        let scaled = scaledSize(of: image.fullSize)
        let part = part(of: scaled)
        guard !part.size.isEmpty else { return part.size }
        let byteCount = resampling.workingByteCount(image.bitmap, to: scaled, part: part)
        return part.size.adding(byteCount, depth: image.bitmap.depth)
    }

    /// Returns the size of the scaled image, before anything is cut off.
    ///
    /// - Parameter fullSize: The ratio of the sides is that of the whole image: a decoder that reduced it has rounded
    ///   its sides.
    func scaledSize(of fullSize: PixelSize) -> PixelSize {
        mode.resultSize(of: fullSize, in: size, enlarges: enlarges)
    }

    /// Returns the part of the scaled image that stays.
    func part(of scaled: PixelSize) -> PixelRect {
        mode == .fill ? scaled.cropRect(for: size, anchor: anchor) : PixelRect(size: scaled)
    }

    /// Writes size, mode, and whether the processor enlarges; then anchor and way of resampling, unless both are the
    /// defaults.
    public func encodeParameters(into encoder: inout CacheKeyEncoder) {
        encoder.encode(size.width)
        encoder.encode(size.height)
        encoder.encode(mode.rawValue)
        encoder.encode(enlarges)
        if let pointSize {
            encoder.encode(pointSize.width)
            encoder.encode(pointSize.height)
        }
        // Left out, so that the images which caches hold from before there was a choice are still found.
        if anchor != .center || resampling != .standard {
            encoder.encode(anchor.x)
            encoder.encode(anchor.y)
            encoder.encode(resampling.filter.rawValue)
            encoder.encode(resampling.isInLinearLight)
        }
    }

    /// Returns the resized image.
    ///
    /// - Throws: ``ProcessingError/emptySize(_:)``, ``BitmapError``, `CancellationError`.
    public func process(_ image: DecodedImage, isCancelled: @Sendable () -> Bool) throws -> DecodedImage {
        guard !size.isEmpty else { throw ProcessingError.emptySize(size) }
        let scaled = scaledSize(of: image.fullSize)
        return image.replacingBitmap(
            try resampling.resample(image.bitmap, to: scaled, part: part(of: scaled), isCancelled: isCancelled)
        )
    }
}
