/// The radius of each corner of a rectangle, in pixels.
public struct CornerRadii: Hashable, Sendable, Codable {
    /// In pixels; 0 leaves the corner square.
    public var topLeft: Double
    /// In pixels; 0 leaves the corner square.
    public var topRight: Double
    /// In pixels; 0 leaves the corner square.
    public var bottomLeft: Double
    /// In pixels; 0 leaves the corner square.
    public var bottomRight: Double

    /// One radius for each corner, 0 by default.
    public init(topLeft: Double = 0, topRight: Double = 0, bottomLeft: Double = 0, bottomRight: Double = 0) {
        self.topLeft = topLeft
        self.topRight = topRight
        self.bottomLeft = bottomLeft
        self.bottomRight = bottomRight
    }

    /// The same radius for those of the `corners`, 0 for the others.
    public init(_ radius: Double, corners: Corners = .all) {
        self.init(
            topLeft: corners.contains(.topLeft) ? radius : 0,
            topRight: corners.contains(.topRight) ? radius : 0,
            bottomLeft: corners.contains(.bottomLeft) ? radius : 0,
            bottomRight: corners.contains(.bottomRight) ? radius : 0
        )
    }

    /// The radii that fit an image of `size`: where two on one side add up to more than its length, all four shrink by
    /// the same factor until they do not (CSS Backgrounds and Borders 3, section 4.5). Negative radii and NaN are 0.
    public func fitted(to size: PixelSize) -> CornerRadii {
        let width = Double(max(0, size.width))
        let height = Double(max(0, size.height))
        // Infinity becomes a length that every rectangle has to shrink.
        func limited(_ radius: Double) -> Double { radius > 0 ? min(radius, width + height) : 0 }
        var radii = CornerRadii(
            topLeft: limited(topLeft),
            topRight: limited(topRight),
            bottomLeft: limited(bottomLeft),
            bottomRight: limited(bottomRight)
        )
        let factor = [
            (width, radii.topLeft + radii.topRight), (width, radii.bottomLeft + radii.bottomRight),
            (height, radii.topLeft + radii.bottomLeft), (height, radii.topRight + radii.bottomRight),
        ].reduce(1.0) { factor, side in side.1 > side.0 ? min(factor, side.0 / side.1) : factor }
        if factor < 1 {
            radii.topLeft *= factor
            radii.topRight *= factor
            radii.bottomLeft *= factor
            radii.bottomRight *= factor
        }
        return radii
    }
}
