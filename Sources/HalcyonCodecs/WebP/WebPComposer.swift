internal import CWebP
internal import FoundationEssentials
internal import HalcyonRaster

/// Composes the frames of an animation (RFC 9649 2.7.1.1).
///
/// libwebp's own composer copies the whole canvas twice a frame, has to be asked for every frame from the first on, and
/// refuses an animation of which one frame is damaged.
struct WebPComposer {
    let header: WebPHeader
    private var canvas: AnimationCanvas
    private let dependencies: FrameDependencies
    /// The number of the frame that comes next.
    private(set) var nextFrame = 0

    /// A composer that stands before the first frame.
    init(_ header: WebPHeader) {
        self.header = header
        canvas = AnimationCanvas(size: header.size)
        dependencies = FrameDependencies(
            header.frames.map { frame in
                FrameDependencies.Frame(
                    coversCanvas: frame.covers(header.size),
                    replaces: !frame.blends || !frame.hasAlpha,
                    disposal: frame.disposal
                )
            }
        )
    }

    /// The picture after `frame`.
    ///
    /// What is wrong with a frame leaves those before it readable, and those behind it that do not need it.
    mutating func picture(after frame: Int, isCancelled: () -> Bool) throws -> Bitmap {
        // An empty canvas is what stands before frame 0, also after a leap to a frame that could not be drawn.
        defer {
            if canvas.picture == nil {
                nextFrame = 0
            }
        }
        let start = dependencies.start(for: frame, next: nextFrame)
        if start != nextFrame {
            canvas.reset()
            nextFrame = start
        }
        while nextFrame <= frame {
            if isCancelled() {
                throw CancellationError()
            }
            try drawNextFrame(isCancelled)
            nextFrame += 1
        }
        guard let picture = canvas.picture else {
            throw CodecError.noSuchFrame(frame, frameCount: header.frames.count)
        }
        return picture
    }

    private mutating func drawNextFrame(_ isCancelled: () -> Bool) throws {
        let frame = header.frames[nextFrame]
        guard frame.left + frame.size.width <= header.size.width, frame.top + frame.size.height <= header.size.height
        else {
            throw CodecError.corrupt(.webp, reason: "frame \(nextFrame) reaches beyond the canvas")
        }
        guard frame.pictureSize == frame.size else {
            throw frame.isCutShort
                ? CodecError.truncated(.webp)
                : .corrupt(.webp, reason: "frame \(nextFrame) has no picture of the size it says")
        }
        var picture = try WebPStillReader.pixels(
            of: frame.data,
            size: frame.size,
            hasAlpha: frame.hasAlpha,
            isCutShort: frame.isCutShort,
            isCancelled: isCancelled
        )
        if frame.hasAlpha || frame.isLossless {
            // What the header says of alpha is only a hint (RFC 9649 3.4).
            picture.isOpaque = !picture.containsTransparency()
        }
        do {
            try canvas.draw(
                picture,
                left: frame.left,
                top: frame.top,
                blends: frame.blends && frame.hasAlpha,
                disposal: frame.disposal
            )
        } catch {
            throw CodecError.bitmap(error)
        }
    }
}
