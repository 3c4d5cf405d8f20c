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

/// A processor that cuts out a rectangle of an image. ``CropProcessor`` cuts out a part of a given size.
struct CropAreaProcessor: ImageProcessing {
    let area: CropArea

    /// A Boolean value that indicates whether the rectangle is in parts of the sides.
    var scalesWithImage: Bool { area.scalesWithImage }

    func inPixels(atScale scale: Double) -> CropAreaProcessor {
        CropAreaProcessor(area: area.inPixels(atScale: scale))
    }

    func workingSize(for image: DecodedImage) -> PixelSize { area.pixels(in: image.size).size }

    func encodeParameters(into encoder: inout CacheKeyEncoder) {
        area.encode(into: &encoder)
    }
}

extension CropAreaProcessor: PassProcessing {
    func add(to pass: inout BitmapPass, fullSize: PixelSize) throws -> Bool {
        let rect = area.pixels(in: pass.size)
        guard !rect.isEmpty else { throw ProcessingError.emptyArea(area, of: pass.size) }
        return pass.crop(to: rect)
    }
}
