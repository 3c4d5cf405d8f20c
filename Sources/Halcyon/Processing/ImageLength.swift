internal import HalcyonRaster

/// A length in an image: the radius of a filter or of a corner, or the width of a line.
public enum ImageLength: Sendable, Hashable {
    /// In points, which become pixels by ``DeliveryPolicy/scale``: at scale 1, a point is a pixel.
    case points(Double)
    /// In pixels.
    case pixels(Double)
    /// As a part of the width.
    case widthFraction(Double)
    /// As a part of the height.
    case heightFraction(Double)
    /// As a part of the shorter side.
    case shorterSideFraction(Double)

    /// A Boolean value that indicates whether the length is a part of a side, or 0.
    var isRelative: Bool {
        switch self {
        case .points(let value), .pixels(let value): value == 0
        case .widthFraction, .heightFraction, .shorterSideFraction: true
        }
    }

    /// Returns the length with points in pixels.
    func inPixels(atScale scale: Double) -> ImageLength {
        if case .points(let value) = self { .pixels(value * scale) } else { self }
    }

    /// Returns the length in an image of this size, in pixels; a point counts as a pixel.
    func pixels(in size: PixelSize) -> Double {
        switch self {
        case .points(let value), .pixels(let value): value
        case .widthFraction(let fraction): fraction * Double(size.width)
        case .heightFraction(let fraction): fraction * Double(size.height)
        case .shorterSideFraction(let fraction): fraction * Double(min(size.width, size.height))
        }
    }

    /// Writes the number of the unit and the value. Processors that had units of their own keep their numbers, so that
    /// the images which caches hold are still found.
    func encode(
        into encoder: inout CacheKeyEncoder,
        pixels: Int = 1,
        width: Int = 2,
        height: Int = 3,
        shorterSide: Int = 4
    ) {
        let (unit, value) =
            switch self {
            case .points(let value): (0, value)
            case .pixels(let value): (pixels, value)
            case .widthFraction(let value): (width, value)
            case .heightFraction(let value): (height, value)
            case .shorterSideFraction(let value): (shorterSide, value)
            }
        encoder.encode(unit)
        encoder.encode(value)
    }
}
