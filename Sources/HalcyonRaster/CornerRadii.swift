/// The radius of each corner of a rectangle, in pixels.
public struct CornerRadii: Hashable, Sendable, Codable {
    /// The radius of the top left corner in pixels; 0 leaves it square.
    public var topLeft: Double
    /// The radius of the top right corner in pixels; 0 leaves it square.
    public var topRight: Double
    /// The radius of the bottom left corner in pixels; 0 leaves it square.
    public var bottomLeft: Double
    /// The radius of the bottom right corner in pixels; 0 leaves it square.
    public var bottomRight: Double

    /// Creates radii with one for each corner, 0 by default.
    public init(topLeft: Double = 0, topRight: Double = 0, bottomLeft: Double = 0, bottomRight: Double = 0) {
        self.topLeft = topLeft
        self.topRight = topRight
        self.bottomLeft = bottomLeft
        self.bottomRight = bottomRight
    }

    /// Creates radii that are the same for those of the `corners`, 0 for the others.
    public init(_ radius: Double, corners: Corners = .all) {
        self.init(
            topLeft: corners.contains(.topLeft) ? radius : 0,
            topRight: corners.contains(.topRight) ? radius : 0,
            bottomLeft: corners.contains(.bottomLeft) ? radius : 0,
            bottomRight: corners.contains(.bottomRight) ? radius : 0
        )
    }

    /// Returns the radii that fit an image of `size`: where two on one side add up to more than its length, all four
    /// shrink by the same factor until they do not (CSS Backgrounds and Borders 3, section 4.5). Negative radii and NaN
    /// are 0.
    public func fitted(to size: PixelSize) -> CornerRadii {
        fitted(width: Double(max(0, size.width)), height: Double(max(0, size.height)))
    }

    /// Returns the radii that fit a rectangle with these sides, neither of which is negative.
    func fitted(width: Double, height: Double) -> CornerRadii {
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

    /// Returns the radii of a line that follows this one at a distance: greater outside of it, smaller inside, where the
    /// distance is negative. A square corner stays square.
    func offset(by distance: Double) -> CornerRadii {
        func moved(_ radius: Double) -> Double { radius > 0 ? max(0, radius + distance) : 0 }
        return CornerRadii(
            topLeft: moved(topLeft),
            topRight: moved(topRight),
            bottomLeft: moved(bottomLeft),
            bottomRight: moved(bottomRight)
        )
    }
}
