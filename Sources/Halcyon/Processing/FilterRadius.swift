internal import HalcyonRaster

/// The radius of a filter: the standard deviation of its Gaussian.
public enum FilterRadius: Sendable, Hashable {
    /// In points, which become pixels by ``DeliveryPolicy/scale``: at scale 1, a point is a pixel.
    case points(Double)
    /// In pixels.
    case pixels(Double)
    /// As a part of the width.
    case widthFraction(Double)
    /// As a part of the height.
    case heightFraction(Double)

    /// A Boolean value that indicates whether the radius is in points.
    var isInPoints: Bool { if case .points = self { true } else { false } }

    /// A Boolean value that indicates whether the radius grows with the image.
    var isFraction: Bool {
        switch self {
        case .widthFraction, .heightFraction: true
        case .points, .pixels: false
        }
    }

    /// Returns the radius with points in pixels.
    func inPixels(atScale scale: Double) -> FilterRadius {
        if case .points(let value) = self { .pixels(value * scale) } else { self }
    }

    /// Returns the radius for an image of this size, in pixels.
    func pixels(in size: PixelSize) -> Double {
        switch self {
        case .points(let value), .pixels(let value): value
        case .widthFraction(let fraction): fraction * Double(size.width)
        case .heightFraction(let fraction): fraction * Double(size.height)
        }
    }

    /// Writes the unit and the value.
    func encode(into encoder: inout CacheKeyEncoder) {
        switch self {
        case .points(let value):
            encoder.encode(0)
            encoder.encode(value)
        case .pixels(let value):
            encoder.encode(1)
            encoder.encode(value)
        case .widthFraction(let value):
            encoder.encode(2)
            encoder.encode(value)
        case .heightFraction(let value):
            encoder.encode(3)
            encoder.encode(value)
        }
    }
}
