/// The place of a line in relation to the edge that it follows. The line ends at the sides of the image in either case.
public enum BorderPlacement: String, Hashable, Sendable, CaseIterable, Codable {
    /// The whole line lies on the image: its outer side is the edge.
    case inside
    /// The middle of the line is the edge, which is moved inwards by half the width of the line: one half of the line
    /// lies on the image, the other outside of it.
    case centered
}
