public import HalcyonRaster

/// The size and the place of a watermark in an image.
public struct WatermarkPlacement: Hashable, Sendable {
    /// The size of a watermark. It keeps the ratio of its sides.
    public enum Size: Hashable, Sendable {
        /// A pixel of the watermark is a pixel of the image.
        case original
        /// As large as fits into this size.
        case fitting(ImageSize)
        /// As large as fits into this part of the image's width and height, limited to 0…1.
        case fraction(Double)
    }

    /// A distance to the right, and one down; negative ones lead left and up.
    public enum Distance: Hashable, Sendable {
        /// In pixels, rounded to nearest.
        case pixels(Double, Double)
        /// In points, which become pixels by ``DeliveryPolicy/scale``.
        case points(Double, Double)

        /// No distance.
        public static let zero = Distance.pixels(0, 0)
    }

    /// The size. Default: ``Size/original``.
    public var size: Size
    /// The point of the image and of the watermark that come together: (0, 0) their top left corners, (1, 1) their
    /// bottom right ones. Components are limited to 0…1. Default: the bottom right corner.
    public var anchor: RelativePoint
    /// The distance from where the anchor puts the watermark. Default: ``Distance/zero``.
    public var offset: Distance
    /// The distances between the copies with which the watermark covers the whole image, in both directions; `nil`: one
    /// copy. Negative ones count as 0. Default: `nil`.
    public var tileSpacing: Distance?

    /// A placement with a default for everything.
    public init(
        size: Size = .original,
        anchor: RelativePoint = .bottomRight,
        offset: Distance = .zero,
        tileSpacing: Distance? = nil
    ) {
        self.size = size
        self.anchor = anchor
        self.offset = offset
        self.tileSpacing = tileSpacing
    }
}

extension WatermarkPlacement {
    /// A Boolean value that indicates whether everything is a part of the image.
    var isRelative: Bool {
        guard case .fraction = size else { return false }
        return offset.pixels == .zero && (tileSpacing ?? .zero).pixels == .zero
    }

    /// Returns the placement with its lengths in pixels.
    func inPixels(atScale scale: Double) -> WatermarkPlacement {
        var placement = self
        if case .fitting(let size) = size { placement.size = .fitting(.pixels(size.pixels(atScale: scale))) }
        placement.offset = offset.inPixels(atScale: scale)
        placement.tileSpacing = tileSpacing?.inPixels(atScale: scale)
        return placement
    }

    /// Returns the size of a watermark in an image, in pixels; a point counts as a pixel. `nil` if it has none.
    func size(of watermark: PixelSize, in image: PixelSize) -> PixelSize? {
        let box: PixelSize
        switch size {
        case .original: return watermark
        case .fitting(let size): box = size.pixels()
        case .fraction(let fraction):
            let fraction = fraction > 0 ? min(fraction, 1) : 0
            func part(_ side: Int) -> Int { Int((Double(side) * fraction).rounded()) }
            box = PixelSize(part(image.width), part(image.height))
        }
        return box.isEmpty ? nil : watermark.fitting(in: box)
    }

    /// Calls `body` with the top left pixel of each copy of a watermark of `size` that meets the image, row by row.
    func forEachOrigin(of size: PixelSize, in image: PixelSize, _ body: (PixelPoint) throws -> Void) rethrows {
        let offset = offset.pixels
        let x = Self.start(of: size.width, in: image.width, at: anchor.x, offset.x)
        let y = Self.start(of: size.height, in: image.height, at: anchor.y, offset.y)
        guard let spacing = tileSpacing?.pixels else { return try body(PixelPoint(x, y)) }
        let columns = Self.copies(from: x, every: size.width + max(0, spacing.x), in: image.width)
        let rows = Self.copies(from: y, every: size.height + max(0, spacing.y), in: image.height)
        for row in rows {
            for column in columns { try body(PixelPoint(column, row)) }
        }
    }

    private static func start(of length: Int, in base: Int, at fraction: Double, _ offset: Int) -> Int {
        let fraction = fraction > 0 ? min(fraction, 1) : 0
        // Lengths of bitmaps are at most 2^26, and offsets 2^30.
        return Int((fraction * Double(base - length)).rounded()) + offset
    }

    /// Returns the starts of all copies that meet 0..<length, one of which begins at `start`.
    private static func copies(from start: Int, every period: Int, in length: Int) -> StrideTo<Int> {
        let remainder = start % period
        let first = remainder > 0 ? remainder - period : remainder
        return stride(from: first, to: length, by: period)
    }
}

extension WatermarkPlacement.Distance {
    /// Both distances in whole pixels, a point counting as a pixel, limited to ±2^30; not a number counts as 0.
    var pixels: PixelPoint {
        func length(_ value: Double) -> Int {
            value.isNaN ? 0 : Int(min(max(value, -0x1p30), 0x1p30).rounded())
        }
        switch self {
        case .pixels(let right, let down), .points(let right, let down):
            return PixelPoint(length(right), length(down))
        }
    }

    func inPixels(atScale scale: Double) -> Self {
        guard case .points(let right, let down) = self else { return self }
        return .pixels(right * scale, down * scale)
    }
}
