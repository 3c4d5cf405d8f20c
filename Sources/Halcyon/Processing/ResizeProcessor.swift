internal import HalcyonCodecs
internal import HalcyonRaster

/// A processor that scales an image to a size.
struct ResizeProcessor: ImageProcessing {
    let size: ImageSize
    let mode: ResizeMode
    let enlarges: Bool
    var anchor = RelativePoint.center
    var resampling = Resampling.standard

    func inPixels(atScale scale: Double) -> ResizeProcessor {
        ResizeProcessor(
            size: .pixels(size.pixels(atScale: scale)),
            mode: mode,
            enlarges: enlarges,
            anchor: anchor,
            resampling: resampling
        )
    }

    /// Enough pixels for the result. All where the decoder's way of reducing would show: it sums encoded samples.
    var decodeTarget: DecodeTarget {
        resampling.allowsReducedDecoding ? .resized(size.pixels(), mode, enlarges: enlarges) : .full
    }

    /// Returns the size of the result; what is cut off is not made. Where resampling takes much memory of its own, as
    /// the rows that are summed in linear light and the weights of very long sides, that of a bitmap which also has
    /// that.
    func workingSize(for image: DecodedImage) -> PixelSize {
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

    func encodeParameters(into encoder: inout CacheKeyEncoder) {
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

    func process(_ image: DecodedImage, isCancelled: @Sendable () -> Bool) throws -> DecodedImage {
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
