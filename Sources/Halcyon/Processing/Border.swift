internal import HalcyonCodecs
public import HalcyonRaster

/// A line along the edge of an image, or of the shape that an image is cut to.
public struct Border: Sendable, Hashable {
    /// The width of the line; at most half the shorter side of the image.
    public var width: ImageLength
    /// The colour of the line, which is drawn over the image.
    public var color: Color
    /// The place of the line in relation to the edge.
    public var placement: BorderPlacement

    /// Creates a line.
    ///
    /// - Parameters:
    ///   - width: Default: 4 points.
    ///   - color: Default: black.
    ///   - placement: Default: ``BorderPlacement/inside``.
    public init(width: ImageLength = .points(4), color: Color = .black, placement: BorderPlacement = .inside) {
        self.width = width
        self.color = color
        self.placement = placement
    }

    func pixels(in size: PixelSize) -> PixelBorder {
        PixelBorder(width: width.pixels(in: size), color: color, placement: placement)
    }

    func inPixels(atScale scale: Double) -> Border {
        Border(width: width.inPixels(atScale: scale), color: color, placement: placement)
    }

    func encode(into encoder: inout CacheKeyEncoder) {
        width.encode(into: &encoder, width: 4, shorterSide: 2)
        color.encode(into: &encoder)
        encoder.encode(placement.rawValue)
    }
}

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
