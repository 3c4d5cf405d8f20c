/// A position in pixels, counted from the top left corner.
public struct PixelPoint: Hashable, Sendable, Codable {
    /// The number of pixels to the right of the left edge.
    public var x: Int
    /// The number of pixels below the top edge.
    public var y: Int

    /// Creates the position of the pixel in column `x` of row `y`.
    public init(_ x: Int, _ y: Int) {
        self.x = x
        self.y = y
    }

    /// The top left corner.
    public static let zero = PixelPoint(0, 0)
}
