/// Finishes the rows of a ``BitmapPass`` in place, with one of the two painters.
struct RowPainter {
    /// The painter of a frame; `nil` for colours.
    private let frame: FramePainter?
    /// The painter of colours; `nil` for a frame.
    let colors: ColorPainter?

    /// Creates a painter for images of one size and depth.
    ///
    /// - Parameter isOpaque: A Boolean value that indicates whether the image is opaque before.
    /// - Throws: ``BitmapError/outOfMemory(byteCount:)``.
    init(_ finish: BitmapPass.Finish, size: PixelSize, depth: SampleDepth, isOpaque: Bool) throws(BitmapError) {
        switch finish {
        case .frame(let frame):
            self.frame = try FramePainter(frame, size: size, depth: depth, isOpaque: isOpaque)
            colors = nil
        case .colors(let change):
            frame = nil
            colors = ColorPainter(change, width: size.width, depth: depth, isOpaque: isOpaque)
        }
    }

    /// A Boolean value that indicates whether the finished image is opaque.
    var isOpaque: Bool { frame?.isOpaque ?? colors?.isOpaque ?? false }

    /// A Boolean value that indicates whether no pixel changes.
    var isIdentity: Bool { frame?.isIdentity ?? colors?.isIdentity ?? true }

    /// Finishes row `y`.
    func paint(_ pixels: UnsafeMutablePointer<UInt8>, row y: Int) {
        frame?.paint(pixels, row: y)
        colors?.paint(pixels, into: pixels)
    }
}
