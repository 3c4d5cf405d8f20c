/// A position as fractions of a width and a height: (0, 0) is the top left corner, (1, 1) the bottom right.
public struct RelativePoint: Hashable, Sendable, Codable {
    /// The position from 0, the left edge, to 1, the right edge.
    public var x: Double
    /// The position from 0, the top edge, to 1, the bottom edge.
    public var y: Double

    /// Creates the point at these fractions.
    public init(_ x: Double, _ y: Double) {
        self.x = x
        self.y = y
    }

    /// The middle.
    public static let center = RelativePoint(0.5, 0.5)
    /// The top left corner.
    public static let topLeft = RelativePoint(0, 0)
    /// The top right corner.
    public static let topRight = RelativePoint(1, 0)
    /// The bottom left corner.
    public static let bottomLeft = RelativePoint(0, 1)
    /// The bottom right corner.
    public static let bottomRight = RelativePoint(1, 1)
}
