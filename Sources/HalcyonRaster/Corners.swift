/// A choice of a rectangle's corners.
public struct Corners: OptionSet, Sendable, Hashable, Codable {
    /// One bit a corner.
    public let rawValue: UInt8

    /// Creates the corners of these bits.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// The top left corner.
    public static let topLeft = Corners(rawValue: 1 << 0)
    /// The top right corner.
    public static let topRight = Corners(rawValue: 1 << 1)
    /// The bottom left corner.
    public static let bottomLeft = Corners(rawValue: 1 << 2)
    /// The bottom right corner.
    public static let bottomRight = Corners(rawValue: 1 << 3)

    /// Both upper corners.
    public static let top: Corners = [.topLeft, .topRight]
    /// Both lower corners.
    public static let bottom: Corners = [.bottomLeft, .bottomRight]
    /// Both corners on the left.
    public static let left: Corners = [.topLeft, .bottomLeft]
    /// Both corners on the right.
    public static let right: Corners = [.topRight, .bottomRight]
    /// All four.
    public static let all: Corners = [.top, .bottom]
}
