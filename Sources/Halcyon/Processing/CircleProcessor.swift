internal import HalcyonCodecs
internal import HalcyonRaster

/// A processor that cuts a disc out of the middle of an image, as wide as its shorter side.
struct CircleProcessor: ImageProcessing {
    let border: Border?
    let background: Color?

    /// A Boolean value that indicates whether there is no line, or one whose width is a part of a side.
    var scalesWithImage: Bool { border?.width.isRelative != false }

    func inPixels(atScale scale: Double) -> CircleProcessor {
        CircleProcessor(border: border?.inPixels(atScale: scale), background: background)
    }

    func workingSize(for image: DecodedImage) -> PixelSize { Self.square(in: image.size) }

    func encodeParameters(into encoder: inout CacheKeyEncoder) {
        encoder.encode(border != nil)
        border?.encode(into: &encoder)
        encoder.encode(background != nil)
        background?.encode(into: &encoder)
    }

    private static func square(in size: PixelSize) -> PixelSize {
        let side = min(size.width, size.height)
        return PixelSize(side, side)
    }
}

extension CircleProcessor: PassProcessing {
    func add(to pass: inout BitmapPass, fullSize: PixelSize) -> Bool {
        let square = Self.square(in: pass.size)
        guard pass.crop(to: pass.size.cropRect(for: square)) else { return false }
        pass.add(
            ImageFrame(
                radii: CornerRadii(Double(square.width) / 2),
                border: border?.pixels(in: square),
                background: background
            )
        )
        return true
    }
}
