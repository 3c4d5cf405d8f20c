internal import HalcyonCodecs
internal import HalcyonRaster

/// The processor that makes an image of a ``TargetSize``, before all others of a request.
struct TargetSizeProcessor: ImageProcessing {
    let size: TargetSize

    func inPixels(atScale scale: Double) -> TargetSizeProcessor {
        TargetSizeProcessor(size: size.inPixels(atScale: scale))
    }

    var decodeTarget: DecodeTarget { .resized(size.box, size.resizeMode, enlarges: false) }

    func workingSize(for image: DecodedImage) -> PixelSize {
        let scaled = size.size(of: image.fullSize)
        let byteCount = image.bitmap.resamplingByteCount(to: scaled, part: PixelRect(size: scaled))
        return scaled.adding(byteCount, depth: image.bitmap.depth)
    }

    func encodeParameters(into encoder: inout CacheKeyEncoder) {
        // A point is a pixel where no scale made pixels of it.
        let box = size.box
        encoder.encode(box.width)
        encoder.encode(box.height)
        encoder.encode(size.mode.rawValue)
        if size.unit == .points {
            encoder.encode(size.width ?? 0)
            encoder.encode(size.height ?? 0)
        }
    }

    func process(_ image: DecodedImage, isCancelled: @Sendable () -> Bool) throws -> DecodedImage {
        let scaled = size.size(of: image.fullSize)
        guard scaled != image.size else { return image }
        return image.replacingBitmap(try image.bitmap.resampled(to: scaled, isCancelled: isCancelled))
    }
}

extension TargetSizeProcessor: PassProcessing {
    func add(to pass: inout BitmapPass, fullSize: PixelSize) -> Bool {
        let scaled = size.size(of: fullSize)
        // An image that has the size already keeps its full size, which the processors after it may look at.
        guard scaled != pass.size else { return false }
        return pass.scale(to: scaled)
    }
}
