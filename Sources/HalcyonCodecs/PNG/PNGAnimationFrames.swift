internal import FoundationEssentials
internal import HalcyonRaster

/// The frames of an animation, each with what it changes, compressed in one layout.
struct PNGAnimationFrames {
    struct Frame {
        let area: PixelRect
        let blending: FrameDescription.Blending
        /// Milliseconds.
        let duration: Int
        let data: Data
    }

    let layout: PNGPixelLayout
    private(set) var frames: [Frame] = []
    /// A Boolean value that indicates whether some frame can be laid over the one before.
    private(set) var canOverlay = false

    /// The bytes of all compressed data.
    var byteCount: Int { frames.reduce(0) { $0 + $1.data.count } }

    /// Compresses the rectangle of each frame that differs from the frame before.
    ///
    /// - Parameters:
    ///   - frames: All of one size.
    ///   - layout: With alpha, a frame that can be laid over the one before is.
    ///   - comparesBlending: Whether such a frame is also compressed as a replacement, of which the smaller is taken.
    ///   - isCancelled: Asked before each frame.
    /// - Throws: ``CodecError``, or `CancellationError`.
    init(
        _ frames: [AnimationFrame],
        _ layout: PNGPixelLayout,
        comparesBlending: Bool,
        _ compressor: PNGCompressor,
        _ isCancelled: () -> Bool
    ) throws {
        self.layout = layout
        let hasAlpha = layout.colorType == .rgba
        var previous: Bitmap?
        for frame in frames {
            if isCancelled() { throw CancellationError() }
            let bitmap = try frame.bitmap.withEightBits()
            let area = previous.map { bitmap.areaThatDiffers(from: $0) } ?? PixelRect(size: bitmap.size)
            let overlay = try Self.overlay(bitmap, area, previous)
            canOverlay = canOverlay || overlay != nil
            var (blending, data) = (FrameDescription.Blending.source, Data())
            if comparesBlending || !hasAlpha || overlay == nil {
                data = try compressor.compress(try bitmap.part(area), layout)
            }
            if hasAlpha, let overlay {
                let laidOver = try compressor.compress(overlay, layout)
                if !comparesBlending || laidOver.count < data.count {
                    (blending, data) = (.over, laidOver)
                }
            }
            self.frames.append(Frame(area: area, blending: blending, duration: frame.duration, data: data))
            previous = bitmap
        }
    }

    private static func overlay(
        _ bitmap: Bitmap,
        _ area: PixelRect,
        _ previous: Bitmap?
    ) throws(CodecError) -> Bitmap? {
        guard let previous else {
            return nil
        }
        return try bitmap.overlay(of: area, on: previous)
    }
}
