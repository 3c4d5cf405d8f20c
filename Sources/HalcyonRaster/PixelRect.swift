/// A rectangle of whole pixels, which may lie outside of any image.
public struct PixelRect: Hashable, Sendable, Codable, CustomStringConvertible {
    /// The top left pixel.
    public var origin: PixelPoint
    /// The width and the height. A rectangle without pixels is empty, wherever it lies.
    public var size: PixelSize

    /// Creates the rectangle of `size` whose top left pixel is `origin`.
    public init(origin: PixelPoint = .zero, size: PixelSize) {
        self.origin = origin
        self.size = size
    }

    /// Creates the rectangle of `width` × `height` pixels from column `x` and row `y` on.
    public init(x: Int, y: Int, width: Int, height: Int) {
        self.init(origin: PixelPoint(x, y), size: PixelSize(width, height))
    }

    /// Creates the rectangle between these edges, each rounded to nearest; an empty one where they are no numbers, or
    /// the right one is not right of the left one, or the lower not below the upper.
    package init(left: Double, top: Double, right: Double, bottom: Double) {
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

    /// A Boolean value that indicates whether there is no pixel.
    public var isEmpty: Bool { size.isEmpty }

    /// Returns the rectangle of the pixels that both have; an empty rectangle where there are none.
    public func intersection(_ other: PixelRect) -> PixelRect {
        guard !isEmpty, !other.isEmpty else { return PixelRect(size: PixelSize(0, 0)) }
        let columns = horizontalRange.clamped(to: other.horizontalRange)
        let rows = verticalRange.clamped(to: other.verticalRange)
        guard !columns.isEmpty, !rows.isEmpty else { return PixelRect(size: PixelSize(0, 0)) }
        return PixelRect(x: columns.lowerBound, y: rows.lowerBound, width: columns.count, height: rows.count)
    }

    /// A description such as "400×300 at 10, 20".
    public var description: String { "\(size) at \(origin.x), \(origin.y)" }

    private var horizontalRange: Range<Int> { origin.x..<Self.end(origin.x, size.width) }
    private var verticalRange: Range<Int> { origin.y..<Self.end(origin.y, size.height) }

    /// Returns the end of a side. Ends that cannot be represented are cut off, instead of trapping.
    private static func end(_ start: Int, _ length: Int) -> Int {
        let (end, overflows) = start.addingReportingOverflow(length)
        return overflows ? .max : end
    }
}
