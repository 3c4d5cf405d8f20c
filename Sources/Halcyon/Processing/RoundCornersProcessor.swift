internal import HalcyonCodecs
internal import HalcyonRaster

/// A processor that makes the corners of an image round, and draws a line along its edge.
struct RoundCornersProcessor: ImageProcessing {
    /// The second version mixes each pixel of an edge in one step, instead of rounding after each.
    static let version = 2

    let corners: RoundedCorners
    let border: Border?
    let background: Color?

    /// A Boolean value that indicates whether all lengths are parts of a side.
    var scalesWithImage: Bool { corners.isRelative && border?.width.isRelative != false }

    func inPixels(atScale scale: Double) -> RoundCornersProcessor {
        RoundCornersProcessor(
            corners: corners.inPixels(atScale: scale),
            border: border?.inPixels(atScale: scale),
            background: background
        )
    }

    func encodeParameters(into encoder: inout CacheKeyEncoder) {
        corners.encode(into: &encoder)
        encoder.encode(border != nil)
        border?.encode(into: &encoder)
        encoder.encode(background != nil)
        background?.encode(into: &encoder)
    }
}

extension RoundCornersProcessor: PassProcessing {
    func add(to pass: inout BitmapPass, fullSize: PixelSize) -> Bool {
        let size = pass.size
        pass.add(
            ImageFrame(radii: corners.pixels(in: size), border: border?.pixels(in: size), background: background)
        )
        return true
    }
}
