public import HalcyonRaster

/// A frame of an animation to be encoded.
public struct AnimationFrame: Sendable {
    /// The whole image as shown; all frames of an animation have the same size.
    public var bitmap: Bitmap
    /// Milliseconds the frame stays.
    public var duration: Int

    /// A frame.
    public init(bitmap: Bitmap, duration: Int) {
        self.bitmap = bitmap
        self.duration = duration
    }
}
