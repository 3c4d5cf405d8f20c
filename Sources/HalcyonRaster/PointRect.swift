/// A rectangle in points, counted from the top left corner of an image.
public struct PointRect: Hashable, Sendable, Codable {
    /// The position of the left edge.
    public var x: Double
    /// The position of the top edge.
    public var y: Double
    /// The number of points from left to right.
    public var width: Double
    /// The number of points from top to bottom.
    public var height: Double

    /// Creates a rectangle in points.
    public init(x: Double, y: Double, width: Double, height: Double) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }

    /// Returns the rectangle in pixels at a scale, each edge rounded to nearest.
    ///
    /// - Parameter scale: Pixels of a point.
    public func pixels(atScale scale: Double) -> PixelRect {
        PixelRect(left: x * scale, top: y * scale, right: (x + width) * scale, bottom: (y + height) * scale)
    }
}

extension PixelRect {
    /// Creates the rectangle between these edges, each rounded to nearest; an empty one where they are no numbers, or
    /// the right one is not right of the left one, or the lower not below the upper.
    init(left: Double, top: Double, right: Double, bottom: Double) {
        // Beyond all images, and small enough that no difference overflows.
        let limit = Double(1 << 40)
        func edge(_ position: Double) -> Int {
            position.isNaN ? 0 : Int(min(max(position, -limit), limit).rounded())
        }
        self.init(
            x: edge(left),
            y: edge(top),
            width: max(0, edge(right) - edge(left)),
            height: max(0, edge(bottom) - edge(top))
        )
    }
}
