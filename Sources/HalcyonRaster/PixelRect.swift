/// A rectangle of whole pixels, which may lie outside of any image.
public struct PixelRect: Hashable, Sendable, Codable, CustomStringConvertible {
    /// The top left pixel.
    public var origin: PixelPoint
    /// Width and height. A rectangle without pixels is empty, wherever it lies.
    public var size: PixelSize

    /// The rectangle of `size` whose top left pixel is `origin`.
    public init(origin: PixelPoint = .zero, size: PixelSize) {
        self.origin = origin
        self.size = size
    }

    /// The rectangle of `width` × `height` pixels from column `x` and row `y` on.
    public init(x: Int, y: Int, width: Int, height: Int) {
        self.init(origin: PixelPoint(x, y), size: PixelSize(width, height))
    }

    /// A Boolean value that indicates whether there is no pixel.
    public var isEmpty: Bool { size.isEmpty }

    /// The pixels that both have; an empty rectangle where there are none.
    public func intersection(_ other: PixelRect) -> PixelRect {
        guard !isEmpty, !other.isEmpty else { return PixelRect(size: PixelSize(0, 0)) }
        let columns = horizontalRange.clamped(to: other.horizontalRange)
        let rows = verticalRange.clamped(to: other.verticalRange)
        guard !columns.isEmpty, !rows.isEmpty else { return PixelRect(size: PixelSize(0, 0)) }
        return PixelRect(x: columns.lowerBound, y: rows.lowerBound, width: columns.count, height: rows.count)
    }

    /// "400×300 at 10, 20".
    public var description: String { "\(size) at \(origin.x), \(origin.y)" }

    private var horizontalRange: Range<Int> { origin.x..<Self.end(origin.x, size.width) }
    private var verticalRange: Range<Int> { origin.y..<Self.end(origin.y, size.height) }

    /// Ends that cannot be represented are cut off, instead of trapping.
    private static func end(_ start: Int, _ length: Int) -> Int {
        let (end, overflows) = start.addingReportingOverflow(length)
        return overflows ? .max : end
    }
}
