internal import HalcyonRaster

/// The radius of a corner.
public enum CornerRadius: Sendable, Hashable {
    /// In points, which become pixels by ``DeliveryPolicy/scale``: at scale 1, a point is a pixel.
    case points(Double)
    /// In pixels.
    case pixels(Double)
    /// As a part of the width; useful up to 0.5.
    case widthFraction(Double)
    /// As a part of the height; useful up to 0.5.
    case heightFraction(Double)

    func pixels(in size: PixelSize) -> Double {
        switch self {
        case .points(let value), .pixels(let value): value
        case .widthFraction(let fraction): fraction * Double(size.width)
        case .heightFraction(let fraction): fraction * Double(size.height)
        }
    }

    /// Returns the radius with a length in points in pixels.
    func inPixels(atScale scale: Double) -> CornerRadius {
        if case .points(let value) = self { .pixels(value * scale) } else { self }
    }

    /// A Boolean value that indicates whether the radius is in points.
    var isInPoints: Bool { if case .points = self { true } else { false } }

    /// A Boolean value that indicates whether the radius is a part of a side.
    var isRelative: Bool {
        switch self {
        case .widthFraction, .heightFraction: true
        case .points(let value), .pixels(let value): value == 0
        }
    }

    func encode(into encoder: inout CacheKeyEncoder) {
        switch self {
        case .points(let value):
            encoder.encode(0)
            encoder.encode(value)
        case .widthFraction(let value):
            encoder.encode(1)
            encoder.encode(value)
        case .heightFraction(let value):
            encoder.encode(2)
            encoder.encode(value)
        case .pixels(let value):
            encoder.encode(3)
            encoder.encode(value)
        }
    }
}
