/// A rectangle in the middle of an image whose corners may be round, and the share of each pixel that it covers: the
/// exact area, not samples of it.
struct RoundedRectangle {
    /// The share of the pixels of a row.
    struct Row {
        /// The share of all pixels between the ends, from 0 to 1.
        var middle: Float
        /// The number of pixels at the left end whose shares are written down one by one.
        var left = 0
        /// The number of pixels at the right end whose shares are written down one by one.
        var right = 0
    }

    private let size: PixelSize
    private let inset: Double
    private let top: [CornerCoverage]
    private let bottom: [CornerCoverage]

    /// A Boolean value that indicates whether every pixel of the image is covered.
    let isWhole: Bool

    /// Creates a rectangle.
    ///
    /// - Parameters:
    ///   - size: That of the image.
    ///   - inset: The distance of each side from that of the image, in pixels; 0 or more.
    ///   - radii: Limited as ``CornerRadii/fitted(to:)`` says.
    init(in size: PixelSize, inset: Double = 0, radii: CornerRadii) {
        self.size = size
        self.inset = inset
        let radii = radii.fitted(
            width: max(0, Double(size.width) - 2 * inset),
            height: max(0, Double(size.height) - 2 * inset)
        )
        top = [CornerCoverage(radius: radii.topLeft), CornerCoverage(radius: radii.topRight)]
        bottom = [CornerCoverage(radius: radii.bottomLeft), CornerCoverage(radius: radii.bottomRight)]
        isWhole = inset == 0 && radii == CornerRadii()
    }

    /// Writes the shares of the pixels at both ends of a row, and returns how many they are, with that of all others.
    ///
    /// - Parameters:
    ///   - shares: As many as the image has columns; those between the ends are left alone.
    ///   - losses: As many zeros, which are zeros again afterwards.
    func cover(row y: Int, shares: UnsafeMutablePointer<Float>, losses: UnsafeMutablePointer<Double>) -> Row {
        let height = Self.share(Double(y) - inset, Double(size.height - 1 - y) - inset)
        var row = Row(middle: Float(height))
        guard height > 0, inset > 0 || !isWhole else { return row }
        // A column that begins before the rectangle, or more of them, at each end.
        let edge = min(size.width, Int(inset.rounded(.up)))
        var touched = [edge, edge]
        // A pixel in the middle of an odd side can lose parts to two arcs, or four. Those parts never overlap, so they
        // add up; multiplying one share by the other would take too much.
        for (corners, place) in [(top, y), (bottom, size.height - 1 - y)] {
            let distance = Double(place) - inset
            // Mostly both corners are equal; the arc takes most of the time of a frame.
            let isMirrored = corners[0].radius == corners[1].radius
            for (end, corner) in corners.prefix(isMirrored ? 1 : 2).enumerated() where distance < corner.radius {
                var column = 0
                while column < size.width, Double(column) - inset < corner.radius {
                    let x = Double(column) - inset
                    let loss = corner.loss(x: x, y: distance)
                    // The arc is convex: once a pixel is whole, so are all further in.
                    if loss == 0, x >= 0 { break }
                    let mirrored = size.width - 1 - column
                    losses[end == 0 ? column : mirrored] += loss
                    if isMirrored { losses[mirrored] += loss }
                    column += 1
                }
                touched[end] = max(touched[end], column)
                if isMirrored { touched[1] = max(touched[1], column) }
            }
        }
        (row.left, row.right) = (touched[0], min(touched[1], size.width - touched[0]))
        for span in [0..<row.left, (size.width - row.right)..<size.width] {
            for x in span {
                let width = Self.share(Double(x) - inset, Double(size.width - 1 - x) - inset)
                shares[x] = Float(max(0, width * height - losses[x]))
                losses[x] = 0
            }
        }
        return row
    }

    /// Returns the part of a pixel that lies between two sides, from its distances to them: negative where it begins
    /// before one.
    private static func share(_ near: Double, _ far: Double) -> Double {
        max(0, 1 - (max(0, -near) + max(0, -far)))
    }
}
