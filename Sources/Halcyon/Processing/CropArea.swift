public import HalcyonRaster

/// A part of an image. It ends at the edges of the image.
public enum CropArea: Sendable, Hashable {
    /// A rectangle in pixels.
    case pixels(PixelRect)
    /// A rectangle in points, which become pixels by ``DeliveryPolicy/scale``: at scale 1, a point is a pixel. Each edge
    /// is rounded to the nearest pixel.
    case points(x: Double, y: Double, width: Double, height: Double)
    /// A rectangle in parts of the sides: from (0, 0), the top left corner, to (1, 1), the bottom right. Each edge is
    /// rounded to the nearest pixel, so that rectangles with a common edge neither overlap nor leave a gap.
    case relative(x: Double, y: Double, width: Double, height: Double)

    /// Returns a rectangle in pixels.
    public static func pixels(x: Int, y: Int, width: Int, height: Int) -> CropArea {
        .pixels(PixelRect(x: x, y: y, width: width, height: height))
    }

    /// Returns the area with points in pixels.
    func inPixels(atScale scale: Double) -> CropArea {
        guard case .points(let x, let y, let width, let height) = self else { return self }
        return .pixels(
            PixelRect(left: x * scale, top: y * scale, right: (x + width) * scale, bottom: (y + height) * scale)
        )
    }

    /// Returns the pixels of an image of this size; an empty rectangle where there are none.
    func pixels(in size: PixelSize) -> PixelRect {
        switch self {
        case .pixels(let rect): return rect.intersection(PixelRect(size: size))
        case .points: return inPixels(atScale: 1).pixels(in: size)
        case .relative(let x, let y, let width, let height):
            let (across, down) = (Double(size.width), Double(size.height))
            return PixelRect(left: x * across, top: y * down, right: (x + width) * across, bottom: (y + height) * down)
                .intersection(PixelRect(size: size))
        }
    }

    func encode(into encoder: inout CacheKeyEncoder) {
        switch self {
        case .pixels(let rect):
            encoder.encode(rect.origin.x)
            encoder.encode(rect.origin.y)
            encoder.encode(rect.size.width)
            encoder.encode(rect.size.height)
        case .points(let x, let y, let width, let height), .relative(let x, let y, let width, let height):
            encoder.encode(scalesWithImage)
            for value in [x, y, width, height] { encoder.encode(value) }
        }
    }

    /// A Boolean value that indicates whether the rectangle is in parts of the sides.
    var scalesWithImage: Bool { if case .relative = self { true } else { false } }
}
