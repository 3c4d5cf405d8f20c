internal import FoundationEssentials
internal import HalcyonRaster

extension ImageCodecs {
    /// Decodes an image whose bitmap is within a bound, in the colours of the file.
    ///
    /// - Throws: ``CodecError``, or `CancellationError`.
    func decode(
        _ data: Data,
        with decoder: any ImageDecoder,
        within limit: BitmapLimit,
        options: DecodeOptions,
        isCancelled: @Sendable () -> Bool
    ) throws -> DecodedImage {
        let info = try decoder.info(of: data, limits: options.limits)
        let depth = options.keepsSixteenBits && info.bitDepth > 8 ? SampleDepth.sixteen : .eight
        let size = options.appliesOrientation ? info.displaySize : info.size
        // A drawing covers the target, also where that is larger than the drawing.
        let full = info.format == .svg ? options.targetSize.map { size.filling($0) } ?? size : size
        let bound = limit.reduced(full, depth: depth)
        guard bound != full else {
            return try decoder.decode(data, options: options, isCancelled: isCancelled)
                .reduced(to: limit, isCancelled: isCancelled)
        }
        var options = options
        options.targetSize = options.targetSize.map { target in
            PixelSize(min(target.width, bound.width), min(target.height, bound.height))
        }
        options.targetSize = options.targetSize ?? bound
        // A JPEG is decoded at up to twice the sides of the bound. It is scaled down before it is turned, as turning
        // takes as much memory once more.
        let turn = options.appliesOrientation && info.format == .jpeg ? info.orientation : .up
        guard turn != .up else {
            return try decoder.decode(data, options: options, isCancelled: isCancelled)
                .standing(for: bound)
                .reduced(to: limit, isCancelled: isCancelled)
        }
        options.appliesOrientation = false
        if turn.swapsSides { options.targetSize = options.targetSize?.transposed }
        let image = try decoder.decode(data, options: options, isCancelled: isCancelled)
            .standing(for: turn.displaySize(of: bound))
            .reduced(to: limit, before: turn, isCancelled: isCancelled)
        return try image.turned(turn)
    }
}

extension DecodedImage {
    /// Returns the same pixels as those of an image of another full size, unless they are more.
    fileprivate func standing(for fullSize: PixelSize) -> DecodedImage {
        DecodedImage(bitmap: bitmap, info: info, fullSize: fullSize, colorProfile: colorProfile)
    }

    /// Returns this image upright, which is stored with an orientation.
    ///
    /// - Throws: ``CodecError/bitmap(_:)``.
    fileprivate func turned(_ orientation: Orientation) throws(CodecError) -> DecodedImage {
        let fullSize = orientation.displaySize(of: fullSize)
        let bitmap = try bitmap.upright(orientation)
        return DecodedImage(bitmap: bitmap, info: info, fullSize: fullSize, colorProfile: colorProfile)
    }

    /// Returns this image, scaled down if its bitmap is beyond a bound.
    ///
    /// - Parameter turn: The turn that follows, after which the bound has to hold: rows are padded. Default: none.
    /// - Throws: ``CodecError/bitmap(_:)``, or `CancellationError`.
    func reduced(
        to limit: BitmapLimit,
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
        do {
            let bitmap = try bitmap.resampled(to: target, isCancelled: isCancelled)
            return DecodedImage(bitmap: bitmap, info: info, fullSize: target, colorProfile: colorProfile)
        } catch let error as BitmapError {
            throw CodecError.bitmap(error)
        }
    }
}
