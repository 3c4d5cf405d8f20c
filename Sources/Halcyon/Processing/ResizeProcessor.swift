public import HalcyonCodecs
public import HalcyonRaster

/// A processor that scales an image to a size.
public struct ResizeProcessor: ImageProcessing {
    /// The size, in pixels or in points.
    public let size: ImageSize
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
    ///   - size: In pixels or in points.
    ///   - mode: The rule for sides of another ratio.
    ///   - enlarges: A Boolean value that indicates whether smaller images are enlarged.
    ///   - anchor: The part that stays with ``ResizeMode/fill``. Default: the centre.
    ///   - resampling: Default: ``Resampling/standard``.
    public init(
        size: ImageSize,
        mode: ResizeMode,
        enlarges: Bool,
        anchor: RelativePoint = .center,
        resampling: Resampling = .standard
    ) {
        self.size = size
        self.mode = mode
        self.enlarges = enlarges
        self.anchor = anchor
        self.resampling = resampling
    }

    /// Returns the processor with its size in pixels.
    public func inPixels(atScale scale: Double) -> ResizeProcessor {
        ResizeProcessor(
            size: .pixels(size.pixels(atScale: scale)),
            mode: mode,
            enlarges: enlarges,
            anchor: anchor,
            resampling: resampling
        )
    }

    /// Enough pixels for the result. All where the decoder's way of reducing would show: it sums encoded samples.
    public var decodeTarget: DecodeTarget {
        resampling.allowsReducedDecoding ? .resized(size.pixels(), mode, enlarges: enlarges) : .full
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
        mode.resultSize(of: fullSize, in: size.pixels(), enlarges: enlarges)
    }

    /// Returns the part of the scaled image that stays.
    func part(of scaled: PixelSize) -> PixelRect {
        mode == .fill ? scaled.cropRect(for: size.pixels(), anchor: anchor) : PixelRect(size: scaled)
    }

    /// Writes size, mode, and whether the processor enlarges; then anchor and way of resampling, unless both are the
    /// defaults.
    public func encodeParameters(into encoder: inout CacheKeyEncoder) {
        size.encodePixels(into: &encoder)
        encoder.encode(mode.rawValue)
        encoder.encode(enlarges)
        size.encodePoints(into: &encoder)
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
        let size = size.pixels()
        guard !size.isEmpty else { throw ProcessingError.emptySize(size) }
        let scaled = scaledSize(of: image.fullSize)
        return image.replacingBitmap(
            try resampling.resample(image.bitmap, to: scaled, part: part(of: scaled), isCancelled: isCancelled)
        )
    }
}

extension ResizeProcessor: PassProcessing {
    func add(to pass: inout BitmapPass, fullSize: PixelSize) throws -> Bool {
        let size = size.pixels()
        guard !size.isEmpty else { throw ProcessingError.emptySize(size) }
        // A pass resamples in the standard way.
        guard resampling == .standard else { return false }
        let scaled = scaledSize(of: fullSize)
        guard pass.scale(to: scaled) else { return false }
        return pass.crop(to: part(of: scaled))
    }
}
