internal import HalcyonRaster

/// The frames of an animated PNG, gathered from the chunks of its file in their order (PNG, 11.3.6).
struct PNGAnimation {
    private enum State {
        case none
        case open
        /// Something is out of order; what came before may still be shown.
        case closed
    }

    let maximumFrameCount: Int
    /// A Boolean value that indicates whether there are frames, or may be some behind what has been read.
    var mayHaveFrames: Bool { state == .open || !frames.isEmpty }
    private(set) var frames: [PNGFrame] = []
    /// A Boolean value that indicates whether the file has more frames than are read.
    private(set) var hasMoreFrames = false
    private(set) var playCount = 0
    private var state = State.none
    private var nextSequenceNumber: UInt32 = 0
    private var promisedFrameCount = 0

    init(maximumFrameCount: Int) {
        self.maximumFrameCount = maximumFrameCount
    }

    /// Takes in acTL, which must stand before the image.
    mutating func readControl(_ payload: UnsafeRawBufferPointer) {
        guard state == .none else {
            // Two of them contradict each other: the file is shown as a still image.
            state = .closed
            frames = []
            return
        }
        guard payload.count == 8 else {
            state = .closed
            return
        }
        let frameCount = payload.bigEndianUInt32(at: 0)
        guard frameCount > 0, frameCount <= UInt32(Int32.max) else {
            state = .closed
            return
        }
        promisedFrameCount = Int(frameCount)
        playCount = Int(payload.bigEndianUInt32(at: 4))
        state = .open
    }

    /// Takes in fcTL.
    mutating func readFrameControl(_ payload: UnsafeRawBufferPointer, canvas: PixelSize, imageBegan: Bool) {
        // The chunk may come before acTL, so frames are read in any case and dropped at the end without one.
        guard state != .closed else {
            return
        }
        guard frames.count < maximumFrameCount else {
            return end(hasMoreFrames: promisedFrameCount > maximumFrameCount)
        }
        guard takeSequenceNumber(payload),
            let frame = PNGFrame(payload, canvas: canvas),
            imageBegan || (frames.isEmpty && frame.covers(canvas)),
            // The frame before this one must have had its data.
            frames.last.map({ !$0.dataRanges.isEmpty }) ?? true
        else {
            state = .closed
            return
        }
        frames.append(frame)
    }

    /// Takes in fdAT.
    mutating func readFrameData(
        _ range: Range<Int>,
        _ payload: UnsafeRawBufferPointer,
        imageBegan: Bool,
        imageIsFrame: Bool
    ) {
        guard state != .closed else {
            return
        }
        guard takeSequenceNumber(payload), imageBegan, let last = frames.indices.last, last > 0 || !imageIsFrame else {
            state = .closed
            return
        }
        frames[last].dataRanges.append(range.lowerBound + 4..<range.upperBound)
    }

    /// Adds a piece of the default image to the first frame, which must be there.
    mutating func addImageData(_ range: Range<Int>) {
        frames[0].dataRanges.append(range)
    }

    /// Ends the animation behind the frames that have been read.
    mutating func end(hasMoreFrames: Bool) {
        state = .closed
        self.hasMoreFrames = hasMoreFrames
    }

    /// Ends the animation before a damaged chunk, if that is one of the animation.
    mutating func end(ifConcernedBy type: PNGChunkType) {
        if type == .frameControl || type == .frameData || type == .animationControl {
            state = .closed
        }
    }

    /// Drops the frames that are none: a frame without data, those behind it, and those beyond the number in acTL.
    mutating func finish() {
        if let empty = frames.firstIndex(where: { $0.dataRanges.isEmpty }) {
            frames.removeSubrange(empty...)
        }
        if frames.count > promisedFrameCount {
            frames.removeSubrange(promisedFrameCount...)
        }
    }

    /// Numbers run through fcTL and fdAT together, from 0 without a gap (PNG, 11.3.6).
    private mutating func takeSequenceNumber(_ payload: UnsafeRawBufferPointer) -> Bool {
        guard payload.count >= 4, payload.bigEndianUInt32(at: 0) == nextSequenceNumber else {
            return false
        }
        nextSequenceNumber &+= 1
        return true
    }
}
