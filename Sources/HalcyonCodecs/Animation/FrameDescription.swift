internal import HalcyonRaster

/// The place of a frame on the canvas, and the way it is combined with the frames before and after it.
struct FrameDescription {
    /// The way the pixels of a frame meet those below.
    enum Blending {
        /// They replace those below, transparent ones too.
        case source
        /// They are laid over those below.
        case over
    }

    /// The change to a frame's rectangle before the next frame is drawn.
    enum Disposal {
        case keep
        /// To transparent pixels.
        case clear
        /// Back to the pixels from before the frame.
        case restore
    }

    let left: Int
    let top: Int
    let size: PixelSize
    let blending: Blending
    let disposal: Disposal
    /// The bytes that decoding the frame takes besides the canvas.
    let workingByteCount: Int

    /// Returns whether nothing of a canvas of this size remains visible below the frame.
    func replacesAll(of canvas: PixelSize) -> Bool {
        blending == .source && area(on: canvas).covers(canvas)
    }

    /// The part of the frame that lies on a canvas of this size.
    func area(on canvas: PixelSize) -> AnimationCanvas.Area {
        AnimationCanvas.Area(left: left, top: top, size: size, within: canvas)
    }
}
