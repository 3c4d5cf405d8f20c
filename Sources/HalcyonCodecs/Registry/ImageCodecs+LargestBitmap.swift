internal import FoundationEssentials
internal import HalcyonRaster

extension ImageCodecs {
    /// Decodes an image whose bitmap takes at most `maximum` bytes, in the colours of the file.
    ///
    /// - Throws: ``CodecError``, or `CancellationError`.
    func decode(
        _ data: Data,
        with decoder: any ImageDecoder,
        atMost maximum: Int,
        options: DecodeOptions,
        isCancelled: @Sendable () -> Bool
    ) throws -> DecodedImage {
        let info = try decoder.info(of: data, limits: options.limits)
        let depth = options.keepsSixteenBits && info.bitDepth > 8 ? SampleDepth.sixteen : .eight
        let size = options.appliesOrientation ? info.displaySize : info.size
        // A drawing covers the target, also where that is larger than the drawing.
        let full = info.format == .svg ? options.targetSize.map { size.filling($0) } ?? size : size
        let bound = full.reduced(toByteCount: maximum, depth: depth)
        guard bound != full else {
            return try decoder.decode(data, options: options, isCancelled: isCancelled)
                .reduced(toByteCount: maximum, isCancelled: isCancelled)
        }
        var options = options
        options.targetSize = options.targetSize.map { target in
            PixelSize(min(target.width, bound.width), min(target.height, bound.height))
        }
        options.targetSize = options.targetSize ?? bound
        return try decoder.decode(data, options: options, isCancelled: isCancelled)
            .standing(for: bound)
            .reduced(toByteCount: maximum, isCancelled: isCancelled)
    }
}

extension DecodedImage {
    /// Returns the same pixels as those of an image of another full size, unless they are more.
    fileprivate func standing(for fullSize: PixelSize) -> DecodedImage {
        DecodedImage(bitmap: bitmap, info: info, fullSize: fullSize, colorProfile: colorProfile)
    }

    /// Returns this image, scaled down if its bitmap takes more than `maximum` bytes.
    ///
    /// - Throws: ``CodecError/bitmap(_:)``, or `CancellationError`.
    fileprivate func reduced(toByteCount maximum: Int, isCancelled: () -> Bool) throws -> DecodedImage {
        guard bitmap.byteCount > maximum else { return self }
        // The full size has the exact ratio of the sides, which a decoder that reduced the image has rounded.
        let isWithin = fullSize.width <= size.width && fullSize.height <= size.height
        let fits = isWithin && fullSize.bitmapByteCount(depth: bitmap.depth) <= maximum
        let target = fits ? fullSize : size.reduced(toByteCount: maximum, depth: bitmap.depth)
        guard target != size else { return self }
        do {
            let bitmap = try bitmap.resampled(to: target, isCancelled: isCancelled)
            return DecodedImage(bitmap: bitmap, info: info, fullSize: target, colorProfile: colorProfile)
        } catch let error as BitmapError {
            throw CodecError.bitmap(error)
        }
    }
}
