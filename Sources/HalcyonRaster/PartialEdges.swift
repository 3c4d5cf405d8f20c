/// The parts of a bitmap's outermost pixels that lie beyond its image, in eighths of a pixel.
///
/// A decoder that reduces an image rounds its sides up: at an eighth, an image of 801 columns has 101, of which the last shows
/// one column of the image and seven that it has not. Resampling takes the image to end there.
package struct PartialEdges: Hashable, Sendable {
    /// The parts at both ends of one axis; 0 to 7.
    package struct Axis: Hashable, Sendable {
        package var leading: UInt8
        package var trailing: UInt8

        package static let none = Axis(leading: 0, trailing: 0)

        package init(leading: UInt8, trailing: UInt8) {
            self.leading = leading
            self.trailing = trailing
        }

        fileprivate var reversed: Axis { Axis(leading: trailing, trailing: leading) }
    }

    /// Left and right.
    package var horizontal: Axis
    /// Top and bottom.
    package var vertical: Axis

    package static let none = PartialEdges(horizontal: .none, vertical: .none)

    package init(horizontal: Axis, vertical: Axis) {
        self.horizontal = horizontal
        self.vertical = vertical
    }

    /// Returns those of the upright image, of one that is stored as `orientation` says.
    func upright(_ orientation: Orientation) -> PartialEdges {
        switch orientation {
        case .up: self
        case .upMirrored: PartialEdges(horizontal: horizontal.reversed, vertical: vertical)
        case .down: PartialEdges(horizontal: horizontal.reversed, vertical: vertical.reversed)
        case .downMirrored: PartialEdges(horizontal: horizontal, vertical: vertical.reversed)
        case .leftMirrored: PartialEdges(horizontal: vertical, vertical: horizontal)
        case .right: PartialEdges(horizontal: vertical.reversed, vertical: horizontal)
        case .rightMirrored: PartialEdges(horizontal: vertical.reversed, vertical: horizontal.reversed)
        case .left: PartialEdges(horizontal: vertical, vertical: horizontal.reversed)
        }
    }
}
