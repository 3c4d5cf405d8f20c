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
