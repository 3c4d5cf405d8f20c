internal import HalcyonCodecs
internal import HalcyonRaster

/// A processor that draws a line along the sides of an image, and cuts nothing off.
struct BorderProcessor: ImageProcessing {
    let border: Border
    let corners: RoundedCorners

    /// A Boolean value that indicates whether all lengths are parts of a side.
    var scalesWithImage: Bool { corners.isRelative && border.width.isRelative }

    func inPixels(atScale scale: Double) -> BorderProcessor {
        BorderProcessor(border: border.inPixels(atScale: scale), corners: corners.inPixels(atScale: scale))
    }

    func encodeParameters(into encoder: inout CacheKeyEncoder) {
        border.encode(into: &encoder)
        corners.encode(into: &encoder)
    }
}

extension BorderProcessor: PassProcessing {
    func add(to pass: inout BitmapPass, fullSize: PixelSize) -> Bool {
        let size = pass.size
        pass.add(ImageFrame(radii: corners.pixels(in: size), cutsImage: false, border: border.pixels(in: size)))
        return true
    }
}
