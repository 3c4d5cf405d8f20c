public import HalcyonRaster

/// A size of an image that a processor makes, in pixels or in points.
public enum ImageSize: Sendable, Hashable {
    /// In pixels.
    case pixels(PixelSize)
    /// In points, which become pixels by ``DeliveryPolicy/scale``: at scale 1, a point is a pixel. Each side is rounded
    /// to nearest; one that is not a number counts as 0.
    case points(PointSize)

    /// Returns a size in pixels.
    public static func pixels(_ width: Int, _ height: Int) -> ImageSize { .pixels(PixelSize(width, height)) }

    /// Returns a size in points, which become pixels by ``DeliveryPolicy/scale``.
    public static func points(_ width: Double, _ height: Double) -> ImageSize { .points(PointSize(width, height)) }

    /// Returns the size in pixels; a point counts as a pixel unless there is another scale.
    func pixels(atScale scale: Double = 1) -> PixelSize {
        switch self {
        case .pixels(let size): size
        case .points(let size): size.pixels(atScale: scale)
        }
    }

    /// Writes the size in pixels.
    func encodePixels(into encoder: inout CacheKeyEncoder) {
        let size = pixels()
        encoder.encode(size.width)
        encoder.encode(size.height)
    }

    /// Writes a size in points; nothing for one in pixels.
    func encodePoints(into encoder: inout CacheKeyEncoder) {
        guard case .points(let size) = self else { return }
        encoder.encode(size.width.zeroIfNaN)
        encoder.encode(size.height.zeroIfNaN)
    }
}
