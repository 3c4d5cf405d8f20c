internal import HalcyonRaster

/// Composes the frames of an animated PNG (PNG, 11.3.6.2).
struct PNGComposer {
    let file: PNGFile
    private var canvas: AnimationCanvas
    private let dependencies: FrameDependencies
    /// The number of the frame that comes next.
    private(set) var nextFrame = 0

    /// A composer that stands before the first frame of an animation, for decoders of pictures of this depth.
    init(_ file: PNGFile, depth: SampleDepth) {
        self.file = file
        canvas = AnimationCanvas(size: file.header.size, depth: depth)
        dependencies = FrameDependencies(
            file.frames.map { frame in
                FrameDependencies.Frame(
                    coversCanvas: frame.covers(file.header.size),
                    replaces: frame.blending == .source,
                    disposal: frame.disposal
                )
            }
        )
    }

    /// The picture after `frame`; `decoder` must be one of the same file.
    ///
    /// What is wrong with a frame leaves those before it readable, and those behind it that do not need it.
    mutating func picture(after frame: Int, _ decoder: PNGPictureDecoder) throws -> Bitmap {
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
            try drawNextFrame(decoder)
            nextFrame += 1
        }
        guard let picture = canvas.picture else {
            throw CodecError.noSuchFrame(frame, frameCount: file.frames.count)
        }
        return picture
    }

    /// Bytes that the canvas, its saved state and the largest frame take together.
    static func memory(for file: PNGFile, depth: SampleDepth) -> Int {
        let canvas = file.header.size.bitmapByteCount(depth: depth).multipliedReportingOverflow(by: 2)
        let largest = file.frames.reduce(0) { largest, frame in
            max(
                largest,
                PNGPictureDecoder.memory(
                    for: frame.size,
                    ranges: frame.dataRanges,
                    header: file.header,
                    depth: depth
                )
            )
        }
        let (sum, overflows) = canvas.partialValue.addingReportingOverflow(largest)
        return canvas.overflow || overflows ? .max : sum
    }

    /// The depth of each bitmap: 16 bits where the file has them and they are asked for.
    var depth: SampleDepth { canvas.depth }

    private mutating func drawNextFrame(_ decoder: PNGPictureDecoder) throws {
        let frame = file.frames[nextFrame]
        let picture = try decoder.decode(
            frame.dataRanges,
            size: frame.size,
            chunkName: nextFrame == 0 && file.imageIsFirstFrame ? "IDAT" : "fdAT of frame \(nextFrame)"
        )
        try canvas.draw(
            picture,
            left: frame.left,
            top: frame.top,
            blends: frame.blending == .over,
            disposal: frame.disposal
        )
    }
}
