/// A rectangle as fractions of a width and a height: from (0, 0), the top left corner, to (1, 1), the bottom right.
public struct RelativeRect: Hashable, Sendable, Codable {
    /// The position of the left edge.
    public var x: Double
    /// The position of the top edge.
    public var y: Double
    /// The part of the width.
    public var width: Double
    /// The part of the height.
    public var height: Double

    /// Creates the rectangle of these fractions.
    public init(x: Double, y: Double, width: Double, height: Double) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }

    /// Returns the rectangle in an image. Each edge is rounded to the nearest pixel, so that rectangles with a common
    /// edge neither overlap nor leave a gap; a rectangle that is left without a pixel is empty.
    public func pixels(in size: PixelSize) -> PixelRect {
        PixelRect(
            left: x * Double(size.width),
            top: y * Double(size.height),
            right: (x + width) * Double(size.width),
            bottom: (y + height) * Double(size.height)
        )
    }
}
