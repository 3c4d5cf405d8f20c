public import HalcyonRaster

/// A part of an image. It ends at the edges of the image.
public enum CropArea: Sendable, Hashable {
    /// A rectangle in pixels.
    case pixels(PixelRect)
    /// A rectangle in points, which become pixels by ``DeliveryPolicy/scale``: at scale 1, a point is a pixel. Each edge
    /// is rounded to the nearest pixel.
    case points(PointRect)
    /// A rectangle in parts of the sides. Each edge is rounded to the nearest pixel.
    case relative(RelativeRect)

    /// Returns the pixels of an image of this size; an empty rectangle where there are none.
    func pixels(in size: PixelSize) -> PixelRect {
        let rect =
            switch self {
            case .pixels(let rect): rect
            case .points(let rect): rect.pixels(atScale: 1)
            case .relative(let rect): rect.pixels(in: size)
            }
        return rect.intersection(PixelRect(size: size))
    }

    func encode(into encoder: inout CacheKeyEncoder) {
        func encode(_ x: Double, _ y: Double, _ width: Double, _ height: Double) {
            encoder.encode(x)
            encoder.encode(y)
            encoder.encode(width)
            encoder.encode(height)
        }
        switch self {
        case .pixels(let rect):
            encoder.encode(rect.origin.x)
            encoder.encode(rect.origin.y)
            encoder.encode(rect.size.width)
            encoder.encode(rect.size.height)
        case .points(let rect):
            encoder.encode(false)
            encode(rect.x, rect.y, rect.width, rect.height)
        case .relative(let rect):
            encoder.encode(true)
            encode(rect.x, rect.y, rect.width, rect.height)
        }
    }
}
