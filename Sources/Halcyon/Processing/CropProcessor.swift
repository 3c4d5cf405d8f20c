internal import HalcyonCodecs
internal import HalcyonRaster

/// A processor that cuts out a part of an image.
struct CropProcessor: ImageProcessing {
    let size: ImageSize
    let anchor: RelativePoint

    func inPixels(atScale scale: Double) -> CropProcessor {
        CropProcessor(size: .pixels(size.pixels(atScale: scale)), anchor: anchor)
    }

    func workingSize(for image: DecodedImage) -> PixelSize {
        image.size.cropRect(for: size.pixels(), anchor: anchor).size
    }

    func encodeParameters(into encoder: inout CacheKeyEncoder) {
        size.encodePixels(into: &encoder)
        encoder.encode(anchor.x)
        encoder.encode(anchor.y)
        size.encodePoints(into: &encoder)
    }
}

extension CropProcessor: PassProcessing {
    func add(to pass: inout BitmapPass, fullSize: PixelSize) throws -> Bool {
        let size = size.pixels()
        guard !size.isEmpty else { throw ProcessingError.emptySize(size) }
        return pass.crop(to: pass.size.cropRect(for: size, anchor: anchor))
    }
}
