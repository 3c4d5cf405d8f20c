internal import HalcyonRaster

/// A length in an image: the radius of a filter or of a corner, or the width of a line.
///
/// One that is not a number counts as 0, and is equal to it. An infinite one is longer than any that an image has.
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
        case .points, .pixels: number == 0
        case .widthFraction, .heightFraction, .shorterSideFraction: true
        }
    }

    /// The number before the unit.
    private var number: Double {
        switch self {
        case .points(let value), .pixels(let value), .widthFraction(let value), .heightFraction(let value),
            .shorterSideFraction(let value):
            value.zeroIfNaN
        }
    }

    /// Returns the length with points in pixels.
    func inPixels(atScale scale: Double) -> ImageLength {
        if case .points = self { .pixels(number * scale) } else { self }
    }

    /// Returns the length in an image of this size, in pixels; a point counts as a pixel.
    func pixels(in size: PixelSize) -> Double {
        switch self {
        case .points, .pixels: number
        case .widthFraction: number * Double(size.width)
        case .heightFraction: number * Double(size.height)
        case .shorterSideFraction: number * Double(min(size.width, size.height))
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
        let unit =
            switch self {
            case .points: 0
            case .pixels: pixels
            case .widthFraction: width
            case .heightFraction: height
            case .shorterSideFraction: shorterSide
            }
        encoder.encode(unit)
        encoder.encode(number)
    }
}

extension ImageLength {
    /// The unit and the number.
    private var identity: [UInt8] {
        var encoder = CacheKeyEncoder()
        encode(into: &encoder)
        return encoder.bytes
    }

    /// Returns whether both are the same number of the same unit.
    public static func == (left: ImageLength, right: ImageLength) -> Bool { left.identity == right.identity }

    /// Hashes the unit and the number.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(identity)
    }
}
