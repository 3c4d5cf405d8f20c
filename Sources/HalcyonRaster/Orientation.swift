/// The way that stored rows and columns map to what a person should see (TIFF 6.0 tag 274, which EXIF uses).
///
/// The raw value is the tag's value.
public enum Orientation: Int, Sendable, Hashable, CaseIterable, Codable {
    /// Row 0 is the top, column 0 the left.
    case up = 1
    /// Mirrored left to right.
    case upMirrored = 2
    /// Rotated by 180°.
    case down = 3
    /// Mirrored top to bottom.
    case downMirrored = 4
    /// Mirrored along the diagonal from top left (transposed).
    case leftMirrored = 5
    /// Must be rotated by 90° clockwise to be upright.
    case right = 6
    /// Mirrored along the diagonal from top right.
    case rightMirrored = 7
    /// Must be rotated by 90° counter-clockwise to be upright.
    case left = 8

    /// A Boolean value that indicates whether width and height are exchanged.
    public var swapsSides: Bool { rawValue >= 5 }

    /// The size a person sees, for an image stored as `size`.
    public func displaySize(of size: PixelSize) -> PixelSize {
        swapsSides ? size.transposed : size
    }
}
