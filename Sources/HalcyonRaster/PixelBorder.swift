/// A line along the edge of an image, or of the shape that an image is cut to.
public struct PixelBorder: Hashable, Sendable {
    /// The width of the line in pixels. It is at most half the shorter side of the image; nothing is drawn for one that
    /// is not greater than 0.
    public var width: Double
    /// The colour of the line, which is drawn over the image.
    public var color: Color
    /// The place of the line in relation to the edge.
    public var placement: BorderPlacement

    /// Creates a line.
    ///
    /// - Parameters:
    ///   - width: In pixels.
    ///   - color: Default: black.
    ///   - placement: Default: ``BorderPlacement/inside``.
    public init(width: Double, color: Color = .black, placement: BorderPlacement = .inside) {
        self.width = width
        self.color = color
        self.placement = placement
    }

    /// Returns the width in an image of this size.
    func width(in size: PixelSize) -> Double {
        width > 0 ? min(width, Double(min(size.width, size.height)) / 2) : 0
    }
}
