public import HalcyonRaster

/// A part of an image. It ends at the edges of the image.
///
/// A coordinate or a side that is not a number counts as 0, and is equal to it.
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
        guard case .points = self else { return self }
        return .pixels(rectangle(across: scale, down: scale))
    }

    /// Returns the rectangle with these units.
    private func rectangle(across: Double, down: Double) -> PixelRect {
        let (x, y, width, height) = numbers
        return PixelRect(left: x * across, top: y * down, right: (x + width) * across, bottom: (y + height) * down)
    }

    /// The numbers of a rectangle that is not in pixels.
    private var numbers: (x: Double, y: Double, width: Double, height: Double) {
        switch self {
        case .pixels: (0, 0, 0, 0)
        case .points(let x, let y, let width, let height), .relative(let x, let y, let width, let height):
            (x.zeroIfNaN, y.zeroIfNaN, width.zeroIfNaN, height.zeroIfNaN)
        }
    }

    /// Returns the pixels of an image of this size; an empty rectangle where there are none.
    func pixels(in size: PixelSize) -> PixelRect {
        let rect =
            switch self {
            case .pixels(let rect): rect
            case .points: rectangle(across: 1, down: 1)
            case .relative: rectangle(across: Double(size.width), down: Double(size.height))
            }
        return rect.intersection(PixelRect(size: size))
    }

    func encode(into encoder: inout CacheKeyEncoder) {
        switch self {
        case .pixels(let rect):
            encoder.encode(rect.origin.x)
            encoder.encode(rect.origin.y)
            encoder.encode(rect.size.width)
            encoder.encode(rect.size.height)
        case .points, .relative:
            encoder.encode(scalesWithImage)
            let (x, y, width, height) = numbers
            for value in [x, y, width, height] { encoder.encode(value) }
        }
    }

    /// A Boolean value that indicates whether the rectangle is in parts of the sides.
    var scalesWithImage: Bool { if case .relative = self { true } else { false } }
}

extension CropArea {
    /// The unit and the rectangle.
    private var identity: [UInt8] {
        var encoder = CacheKeyEncoder()
        encode(into: &encoder)
        return encoder.bytes
    }

    /// Returns whether both are the same rectangle in the same unit.
    public static func == (left: CropArea, right: CropArea) -> Bool { left.identity == right.identity }

    /// Hashes the unit and the rectangle.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(identity)
    }
}
