/// A width and a height in pixels. Both are zero or more.
public struct PixelSize: Hashable, Sendable, Codable, CustomStringConvertible {
    /// Pixels from left to right.
    public var width: Int
    /// Pixels from top to bottom.
    public var height: Int

    /// A size of `width` × `height` pixels.
    public init(_ width: Int, _ height: Int) {
        self.width = width
        self.height = height
    }

    /// The number of pixels, or `Int.max` where the product does not fit.
    public var area: Int {
        let (product, overflows) = width.multipliedReportingOverflow(by: height)
        return overflows ? .max : product
    }

    /// A Boolean value that indicates whether there is no pixel.
    public var isEmpty: Bool { width <= 0 || height <= 0 }

    /// The same size with both sides exchanged.
    public var transposed: PixelSize { PixelSize(height, width) }

    /// "400×300".
    public var description: String { "\(width)×\(height)" }
}
