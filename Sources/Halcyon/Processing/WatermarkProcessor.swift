internal import HalcyonCodecs
internal import HalcyonRaster

/// A processor that draws another image onto an image, once or as tiles.
struct WatermarkProcessor: ImageProcessing {
    let watermark: WatermarkImage
    let placement: WatermarkPlacement
    let mode: BlendMode
    let opacity: Double

    func inPixels(atScale scale: Double) -> WatermarkProcessor {
        let placement = placement.inPixels(atScale: scale)
        return WatermarkProcessor(watermark: watermark, placement: placement, mode: mode, opacity: opacity)
    }

    /// A Boolean value that indicates whether size and place are parts of the image.
    var scalesWithImage: Bool { placement.isRelative }

    /// Returns the size of the image, or of the watermark where it takes more memory.
    func workingSize(for image: DecodedImage) -> PixelSize {
        let mark = watermark.bitmap
        guard var size = placement.size(of: mark.size, in: image.size) else { return image.size }
        // It is scaled with its own bits, which take twice the memory of those of the image.
        if size != mark.size, mark.depth == .sixteen, image.bitmap.depth == .eight {
            let (height, overflows) = size.height.multipliedReportingOverflow(by: 2)
            size.height = overflows ? .max : height
        }
        return size.area > image.size.area ? size : image.size
    }

    func encodeParameters(into encoder: inout CacheKeyEncoder) {
        watermark.encode(into: &encoder)
        placement.encode(into: &encoder)
        encoder.encode(mode.rawValue)
        encoder.encode(opacity)
    }

    func process(_ image: DecodedImage, isCancelled: @Sendable () -> Bool) throws -> DecodedImage {
        guard let size = placement.size(of: watermark.bitmap.size, in: image.size) else { return image }
        let mark = try watermark.bitmap.resampled(to: size, isCancelled: isCancelled)
            .converted(to: image.bitmap.depth)
        var result = try image.bitmap.copied(isCancelled: isCancelled)
        try placement.forEachOrigin(of: size, in: image.size) { origin in
            try result.draw(mark, at: origin, mode: mode, opacity: opacity, isCancelled: isCancelled)
        }
        return image.replacingBitmap(result)
    }
}

extension WatermarkPlacement {
    /// Writes all lengths with their units.
    fileprivate func encode(into encoder: inout CacheKeyEncoder) {
        switch size {
        case .original: encoder.encode(0)
        case .fitting(.pixels(let size)):
            encoder.encode(1)
            encoder.encode(size.width)
            encoder.encode(size.height)
        case .fitting(.points(let size)):
            encoder.encode(2)
            encoder.encode(size.width)
            encoder.encode(size.height)
        case .fraction(let fraction):
            encoder.encode(3)
            encoder.encode(fraction)
        }
        encoder.encode(anchor.x)
        encoder.encode(anchor.y)
        for distance in [offset, tileSpacing] {
            switch distance {
            case nil: encoder.encode(0)
            case .pixels(let right, let down):
                encoder.encode(1)
                encoder.encode(right)
                encoder.encode(down)
            case .points(let right, let down):
                encoder.encode(2)
                encoder.encode(right)
                encoder.encode(down)
            }
        }
    }
}
