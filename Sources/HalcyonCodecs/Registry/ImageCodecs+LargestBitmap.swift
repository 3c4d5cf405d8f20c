internal import FoundationEssentials
package import HalcyonRaster

extension ImageCodecs {
    /// Decodes an image whose bitmap is within a bound, in the colours of the file.
    ///
    /// - Throws: ``CodecError``, or `CancellationError`.
    static func decode(
        _ data: Data,
        with decoder: any ImageDecoder,
        within limit: BitmapLimit,
        options: DecodeOptions,
        isCancelled: @Sendable () -> Bool
    ) throws -> DecodedImage {
        let info = try decoder.info(of: data, limits: options.limits)
        let depth = options.keepsSixteenBits && info.bitDepth > 8 ? SampleDepth.sixteen : .eight
        let size = options.displaySize(of: info)
        // A drawing covers the target, also where that is larger than the drawing.
        let full = info.format == .svg ? options.targetSize.map { size.filling($0) } ?? size : size
        let bound = limit.reduced(full, depth: depth)
        guard bound != full else {
            return try decoder.decode(data, options: options, isCancelled: isCancelled)
                .reduced(to: limit, options.limits, isCancelled: isCancelled)
        }
        var options = options
        options.targetSize = options.targetSize.map { target in
            PixelSize(min(target.width, bound.width), min(target.height, bound.height))
        }
        options.targetSize = options.targetSize ?? bound
        // A JPEG is decoded at up to twice the sides of the bound. It is scaled down before it is turned, as turning
        // takes as much memory once more.
        let turn = info.format == .jpeg ? options.appliedOrientation(of: info.orientation) : .up
        guard turn != .up else {
            return try decoder.decode(data, options: options, isCancelled: isCancelled)
                .standing(for: bound)
                .reduced(to: limit, options.limits, isCancelled: isCancelled)
        }
        options.appliesOrientation = false
        if turn.swapsSides { options.targetSize = options.targetSize?.transposed }
        let image = try decoder.decode(data, options: options, isCancelled: isCancelled)
            .standing(for: turn.displaySize(of: bound))
            .reduced(to: limit, options.limits, before: turn, isCancelled: isCancelled)
        return try image.turned(turn, isCancelled: isCancelled)
    }
}

extension DecodedImage {
    /// Returns the same pixels, or those of a bitmap, as those of an image of another full size.
    fileprivate func standing(for fullSize: PixelSize, with other: Bitmap? = nil) -> DecodedImage {
        DecodedImage(
            bitmap: other ?? bitmap,
            info: info,
            fullSize: fullSize,
            colorProfile: colorProfile,
            isPartial: isPartial
        )
    }

    /// Returns this image upright, which is stored with an orientation.
    ///
    /// - Throws: ``CodecError/bitmap(_:)``, or `CancellationError`.
    fileprivate func turned(_ orientation: Orientation, isCancelled: () -> Bool) throws -> DecodedImage {
        do {
            let bitmap = try bitmap.oriented(orientation, isCancelled: isCancelled)
            return standing(for: orientation.displaySize(of: fullSize), with: bitmap)
        } catch let error as BitmapError {
            throw CodecError.bitmap(error)
        }
    }

    /// Returns this image, scaled down if its bitmap is beyond a bound.
    ///
    /// - Parameters:
    ///   - limits: Those of the memory that this takes.
    ///   - turn: The turn that follows, after which the bound has to hold: rows are padded. Default: none.
    /// - Throws: ``CodecError/limitExceeded(_:_:)``, ``CodecError/bitmap(_:)``, or `CancellationError`.
    func reduced(
        to limit: BitmapLimit,
        _ limits: DecodeLimits,
        before turn: Orientation = .up,
        isCancelled: () -> Bool
    ) throws -> DecodedImage {
        let (depth, shown, whole) = (bitmap.depth, turn.displaySize(of: size), turn.displaySize(of: fullSize))
        guard !limit.allows(shown, depth: depth) else { return self }
        // The full size has the exact ratio of the sides, which a decoder that reduced the image has rounded.
        let isWithin = whole.width <= shown.width && whole.height <= shown.height
        let result = isWithin && limit.allows(whole, depth: depth) ? whole : limit.reduced(shown, depth: depth)
        guard result != shown else { return self }
        // Exchanging the sides once more gives those as stored.
        let target = turn.displaySize(of: result)
        return standing(for: target, with: try resampledBitmap(to: target, limits, isCancelled: isCancelled))
    }

    /// Scales this image to the target size of the options, if it is to be.
    ///
    /// - Throws: ``CodecError/bitmap(_:)``, or `CancellationError`.
    mutating func scaleToTarget(of options: DecodeOptions, isCancelled: () -> Bool) throws {
        guard let target = scalingTarget(of: options) else { return }
        let scaled = try resampledBitmap(to: target, options.limits, isCancelled: isCancelled)
        self = standing(for: fullSize, with: scaled)
    }

    /// Returns the size that the image is scaled to before it is handed out; `nil` if it stays as it is, as where the limits have
    /// no memory for both.
    package func scalingTarget(of options: DecodeOptions) -> PixelSize? {
        guard fullSize == options.scaledFullSize, let target = options.targetSize, !target.isEmpty, size != target,
            size.width >= target.width, size.height >= target.height
        else { return nil }
        let working = bitmap.resamplingByteCount(to: target, part: PixelRect(size: target))
        let result = target.bitmapByteCount(depth: bitmap.depth)
        let check: Void? = try? options.limits.checkMemory(bitmap.byteCount, working, result, of: info.format)
        return check == nil ? nil : target
    }

    /// Returns the bitmap at another size.
    ///
    /// - Throws: ``CodecError/limitExceeded(_:_:)`` where that takes more memory than the limits allow,
    ///   ``CodecError/bitmap(_:)``, or `CancellationError`.
    func resampledBitmap(to size: PixelSize, _ limits: DecodeLimits, isCancelled: () -> Bool) throws -> Bitmap {
        let working = bitmap.resamplingByteCount(to: size, part: PixelRect(size: size))
        // A small result is within what decoding has taken for itself, and freed before.
        let result = size.bitmapByteCount(depth: bitmap.depth)
        try limits.checkMemory(bitmap.byteCount, working, result < 4 << 20 ? 0 : result, of: info.format)
        do {
            return try bitmap.resampled(to: size, isCancelled: isCancelled)
        } catch let error as BitmapError {
            throw CodecError.bitmap(error)
        }
    }
}
