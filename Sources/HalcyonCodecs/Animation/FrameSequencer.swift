internal import HalcyonRaster

/// The frames of an animation in their order, composed on a canvas as browsers do: each is decoded by itself and
/// combined with those before it, within the limits.
///
/// A format describes its frames and decodes the pixels of one at a time. For an earlier frame, or one further ahead,
/// composing begins again at the last frame that depends on no other. A frame that cannot be decoded leaves those
/// before it readable, and those behind it that do not need it.
struct FrameSequencer {
    /// The descriptions of the frames.
    let frames: [FrameDescription]
    private let format: ImageFormat
    private let limits: DecodeLimits
    private let heldBitmapCount: Int
    /// The first frame after which the canvas becomes as it was before; until then no second canvas is kept.
    private let firstRestored: Int
    private var canvas: AnimationCanvas
    private var dependencies: FrameDependencies
    /// The pixels of frames that are decoded at most to compose one: ten thousand small frames, or some of the largest.
    /// It takes about as long as an image of the largest size. Frames that are played one after the other are composed
    /// of one each.
    private static let greatestComposedCount = SaturatingCount(1 << 31)

    /// The number of the frame that is decoded next.
    private var nextFrame = 0
    /// The pixels of the frames that were decoded for the frame asked for.
    private var composedCount: SaturatingCount = 0
    /// The number of the frame that the canvas shows; `nil` before the first.
    private var composedFrame: Int?
    /// A Boolean value that indicates whether pixels of the frame composed last may be missing, because the data of a
    /// frame that it is made of are cut short or damaged.
    private(set) var isPartial = false

    /// A sequencer that stands before the first frame.
    ///
    /// - Parameters:
    ///   - frames: The frames.
    ///   - size: The size of the canvas.
    ///   - depth: The depth of the canvas, which the pixels of each frame must have. Default: 8 bits.
    ///   - format: The format that errors name.
    ///   - limits: Checked for the canvas at once, and for each frame before it is decoded.
    ///   - heldBitmapCount: The number of bitmaps of the canvas's size that exist besides those of the sequencer.
    /// - Throws: ``CodecError/limitExceeded(_:_:)`` for the canvas.
    init(
        _ frames: [FrameDescription],
        canvas size: PixelSize,
        depth: SampleDepth = .eight,
        format: ImageFormat,
        limits: DecodeLimits,
        heldBitmapCount: Int
    ) throws(CodecError) {
        self.frames = frames
        self.format = format
        self.limits = limits
        self.heldBitmapCount = heldBitmapCount
        firstRestored = frames.firstIndex { $0.disposal == .restore } ?? .max
        canvas = AnimationCanvas(size: size, depth: depth)
        dependencies = FrameDependencies(frames, canvas: size)
        try limits.check(size, of: format)
        try check(0..<0)
    }

    /// Refuses frames that are beyond the limits, before any memory is taken for them.
    ///
    /// - Throws: ``CodecError/limitExceeded(_:_:)``.
    func check(_ range: Range<Int>) throws(CodecError) {
        var workingByteCount = 0
        for index in range where !frames[index].size.isEmpty {
            try limits.check(frames[index].size, of: format)
            workingByteCount = max(workingByteCount, frames[index].workingByteCount)
        }
        let canvasCount = 1 + heldBitmapCount + (firstRestored < range.upperBound ? 1 : 0)
        let canvases = canvas.size.bitmapByteCount(depth: canvas.depth).multipliedReportingOverflow(by: canvasCount)
        try limits.checkMemory(canvases.overflow ? .max : canvases.partialValue, workingByteCount, of: format)
    }

    /// Returns the canvas after a frame, counted from 0.
    ///
    /// - Parameters:
    ///   - index: The number of the frame.
    ///   - isCancelled: Asked before each frame that has to be decoded.
    ///   - decode: Decodes the pixels of the frame with this number.
    /// - Throws: ``CodecError``, among them ``CodecError/noSuchFrame(_:frameCount:)``,
    ///   ``CodecError/limitExceeded(_:_:)``, and ``CodecError/unsupported(_:reason:)`` where too many frames have to be
    ///   decoded for this one; `CancellationError`; the errors of `decode`.
    mutating func bitmap(
        ofFrame index: Int,
        isCancelled: () -> Bool,
        decode: (Int) throws -> FramePixels
    ) throws -> Bitmap {
        guard frames.indices.contains(index) else {
            throw CodecError.noSuchFrame(index, frameCount: frames.count)
        }
        // An empty canvas is what stands before frame 0, also after a leap to a frame that could not be drawn.
        defer {
            if canvas.bitmap == nil {
                nextFrame = 0
            }
        }
        composedCount = 0
        do {
            var isComposed = false
            while !isComposed {
                // Where the frame was passed over, and the one behind it could not be drawn, it has to be drawn anew.
                let isPassedOver = nextFrame == index + 1 && composedFrame != index
                let start = dependencies.start(for: index, next: isPassedOver ? .max : nextFrame)
                let leavesGap = start != nextFrame
                if leavesGap {
                    rewind(to: start)
                }
                isComposed = try drawFrames(upTo: index, behindGap: leavesGap, isCancelled, decode)
            }
        } catch let error as BitmapError {
            throw CodecError.bitmap(error)
        }
        canvas.findOpacity()
        guard let bitmap = canvas.bitmap else {
            throw CodecError.noSuchFrame(index, frameCount: frames.count)
        }
        return bitmap
    }

    private mutating func rewind(to frame: Int) {
        canvas.reset()
        nextFrame = frame
        composedFrame = nil
        isPartial = false
    }

    /// Returns `false` where the first frame, which was thought to cover everything, needs those before it after all.
    private mutating func drawFrames(
        upTo last: Int,
        behindGap: Bool,
        _ isCancelled: () -> Bool,
        _ decode: (Int) throws -> FramePixels
    ) throws -> Bool {
        var mustCover = behindGap && nextFrame <= last && dependencies.isCovering(nextFrame)
        while nextFrame <= last {
            if isCancelled() {
                throw CancellationError()
            }
            guard nextFrame == last || frames[nextFrame].disposal != .restore else {
                // It leaves no trace.
                nextFrame += 1
                continue
            }
            try check(nextFrame..<nextFrame + 1)
            composedCount += frames[nextFrame].size.pixelCount
            guard composedCount <= max(Self.greatestComposedCount, frames[nextFrame].size.pixelCount) else {
                let reason = "frame \(last) is made of more frames than are decoded for one"
                throw CodecError.unsupported(format, reason: reason)
            }
            let pixels = try decode(nextFrame)
            isPartial = !pixels.isComplete || isPartial && !frames[nextFrame].replacesAll(of: canvas.size)
            if !pixels.isComplete {
                dependencies.revoke(nextFrame)
                if mustCover {
                    rewind(to: 0)
                    return false
                }
            }
            try canvas.draw(pixels, of: frames[nextFrame])
            composedFrame = nextFrame
            nextFrame += 1
            mustCover = false
        }
        return true
    }
}

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
