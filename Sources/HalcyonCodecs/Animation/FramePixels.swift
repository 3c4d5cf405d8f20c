internal import HalcyonRaster

/// The pixels of one frame, not yet combined with those of other frames.
enum FramePixels {
    /// A bitmap of the frame's size and the canvas's depth, with an exact `isOpaque`.
    case bitmap(Bitmap, isComplete: Bool = true)
    /// Rows that are written right onto the canvas: `write` is called with each row of the frame's area, as a pointer
    /// to its first pixel, and with its number from the area's top.
    case rows(AnimationCanvas.Drawing, isComplete: Bool, write: (UnsafeMutablePointer<UInt8>, Int) -> Void)

    /// A Boolean value that indicates whether the data of the frame reach all of its pixels.
    var isComplete: Bool {
        switch self {
        case .bitmap(_, let isComplete), .rows(_, let isComplete, _): isComplete
        }
    }
}
