/// A width and a height in points. A point is as many pixels wide and high as the scale of an image says.
///
/// A side that is not a number counts as 0, and is equal to it.
public struct PointSize: Hashable, Sendable, Codable, CustomStringConvertible {
    /// The number of points from left to right.
    public var width: Double
    /// The number of points from top to bottom.
    public var height: Double

    /// Creates a size of `width` × `height` points.
    public init(_ width: Double, _ height: Double) {
        self.width = width
        self.height = height
    }

    /// Creates the size in points of an image with this number of pixels.
    ///
    /// - Parameters:
    ///   - size: In pixels.
    ///   - scale: Pixels of a point; greater than 0.
    public init(_ size: PixelSize, scale: Double) {
        self.init(Double(size.width) / scale, Double(size.height) / scale)
    }

    /// Returns the size in pixels at a scale, each side rounded to nearest. A side that is not greater than 0 has none.
    ///
    /// - Parameter scale: Pixels of a point.
    public func pixels(atScale scale: Double) -> PixelSize {
        func side(_ length: Double) -> Int {
            let pixels = (length * scale).rounded()
            guard pixels > 0 else { return 0 }
            return Int(exactly: pixels) ?? .max
        }
        return PixelSize(side(width), side(height))
    }

    /// A description such as "200.0×150.0 points".
    public var description: String { "\(width)×\(height) points" }
}

extension PointSize {
    /// Returns whether both have the same width and the same height.
    public static func == (left: PointSize, right: PointSize) -> Bool {
        left.width.zeroIfNaN == right.width.zeroIfNaN && left.height.zeroIfNaN == right.height.zeroIfNaN
    }

    /// Hashes the width and the height.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(width.zeroIfNaN)
        hasher.combine(height.zeroIfNaN)
    }
}

extension Double {
    /// The number; 0 for what is not a number, and would be equal to nothing, not even to itself.
    package var zeroIfNaN: Double { isNaN ? 0 : self }
}
