/// A rotated image and the pixels of the result that it covers.
struct RotatedImage {
    private let rotation: Rotation
    private let width: Double
    private let height: Double
    private let resultSize: PixelSize

    init(_ rotation: Rotation, of size: PixelSize, in resultSize: PixelSize) {
        self.rotation = rotation
        width = Double(size.width)
        height = Double(size.height)
        self.resultSize = resultSize
    }

    /// Returns the position in the image of a position in the result, both counted from the top left corner.
    func source(x: Double, y: Double) -> (x: Double, y: Double) {
        let right = x - Double(resultSize.width) / 2
        let down = y - Double(resultSize.height) / 2
        return (
            width / 2 + right * rotation.cosine + down * rotation.sine,
            height / 2 - right * rotation.sine + down * rotation.cosine
        )
    }

    /// The step in the image from a pixel of the result to the one at its right.
    var step: (x: Double, y: Double) { (rotation.cosine, -rotation.sine) }

    /// Returns the pixels of a row that the image may cover, and those among them that it covers wholly.
    func columns(ofRow row: Int) -> (touched: Range<Int>, whole: Range<Int>) {
        let first = source(x: 0.5, y: Double(row) + 0.5)
        // Half the extent of a pixel of the result along the axes of the image.
        let half = (abs(rotation.cosine) + abs(rotation.sine)) / 2
        func columns(within margin: Double) -> (Double, Double) {
            let x = Self.places(first.x, step.x, from: margin, to: width - margin)
            let y = Self.places(first.y, step.y, from: margin, to: height - margin)
            return (max(x.0, y.0), min(x.1, y.1))
        }
        func range(_ first: Double, _ end: Double) -> Range<Int> {
            let limit = Double(resultSize.width)
            let (first, end) = (min(max(first, 0), limit), min(max(end, 0), limit))
            return first < end ? Int(first)..<Int(end) : 0..<0
        }
        // What rounding errors may change is looked at pixel by pixel.
        let outer = columns(within: -half - 1e-6)
        let touched = range(outer.0.rounded(.down), outer.1.rounded(.down) + 1)
        let inner = columns(within: half + 1e-6)
        let whole = range(inner.0.rounded(.up), inner.1.rounded(.down) + 1).clamped(to: touched)
        return (touched, whole.isEmpty ? touched.upperBound..<touched.upperBound : whole)
    }

    /// Returns the first and the last place at which a position that moves by a step lies between two limits.
    private static func places(
        _ start: Double,
        _ step: Double,
        from least: Double,
        to greatest: Double
    ) -> (Double, Double) {
        let everywhere = (-Double.infinity, Double.infinity)
        let nowhere = (Double.infinity, -Double.infinity)
        guard least <= greatest else { return nowhere }
        // A step too small to cross a pixel on the way through the largest image.
        guard abs(step) > 1e-12 else { return start >= least && start <= greatest ? everywhere : nowhere }
        let (one, other) = ((least - start) / step, (greatest - start) / step)
        return (min(one, other), max(one, other))
    }

    /// Returns the share of a pixel of the result that the image covers: the exact area.
    func coverage(column: Int, row: Int) -> Double {
        let (x, y) = (Double(column), Double(row))
        // The pixel as a polygon in the image, which each side of the image cuts (Sutherland and Hodgman 1974).
        var polygon = [(x, y), (x + 1, y), (x + 1, y + 1), (x, y + 1)].map { source(x: $0.0, y: $0.1) }
        polygon = Self.cut(polygon) { $0.x }
        polygon = Self.cut(polygon) { width - $0.x }
        polygon = Self.cut(polygon) { $0.y }
        polygon = Self.cut(polygon) { height - $0.y }
        guard let origin = polygon.first else { return 0 }
        // Measured from a corner of its own, since the products of far positions would lose the last digits.
        var area = 0.0
        for (a, b) in zip(polygon, polygon.dropFirst()) {
            area += (a.x - origin.x) * (b.y - origin.y) - (b.x - origin.x) * (a.y - origin.y)
        }
        return min(max(area / 2, 0), 1)
    }

    private typealias Position = (x: Double, y: Double)

    /// Returns the part of a convex polygon on which a linear function is not negative.
    private static func cut(_ polygon: [Position], _ distance: (Position) -> Double) -> [Position] {
        guard var previous = polygon.last else { return [] }
        var part: [Position] = []
        for corner in polygon {
            let (before, here) = (distance(previous), distance(corner))
            if (before < 0) != (here < 0) {
                let t = before / (before - here)
                part.append((previous.x + (corner.x - previous.x) * t, previous.y + (corner.y - previous.y) * t))
            }
            if here >= 0 { part.append(corner) }
            previous = corner
        }
        return part
    }
}
