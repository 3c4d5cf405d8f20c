internal import HalcyonRaster

/// The width of a line along the edge of an image.
public enum BorderWidth: Sendable, Hashable {
    /// In points, which become pixels by ``DeliveryPolicy/scale``: at scale 1, a point is a pixel.
    case points(Double)
    /// In pixels.
    case pixels(Double)
    /// As a part of the shorter side; useful up to 0.5.
    case shorterSideFraction(Double)

    func pixels(in size: PixelSize) -> Double {
        switch self {
        case .points(let value), .pixels(let value): value
        case .shorterSideFraction(let fraction): fraction * Double(min(size.width, size.height))
        }
    }

    /// Returns the width with a length in points in pixels.
    func inPixels(atScale scale: Double) -> BorderWidth {
        if case .points(let value) = self { .pixels(value * scale) } else { self }
    }

    /// A Boolean value that indicates whether the width is in points.
    var isInPoints: Bool { if case .points = self { true } else { false } }

    /// A Boolean value that indicates whether the width is a part of a side.
    var isRelative: Bool { if case .shorterSideFraction = self { true } else { false } }

    func encode(into encoder: inout CacheKeyEncoder) {
        switch self {
        case .points(let value):
            encoder.encode(0)
            encoder.encode(value)
        case .pixels(let value):
            encoder.encode(1)
            encoder.encode(value)
        case .shorterSideFraction(let value):
            encoder.encode(2)
            encoder.encode(value)
        }
    }
}
