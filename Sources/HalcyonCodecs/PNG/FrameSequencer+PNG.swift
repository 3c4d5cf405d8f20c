internal import HalcyonRaster

extension FrameSequencer {
    /// A sequencer of the frames of an animated PNG (PNG, 11.3.6.2) with bitmaps of this depth.
    ///
    /// - Throws: ``CodecError/limitExceeded(_:_:)`` for the canvas or for any frame.
    init(_ file: PNGFile, depth: SampleDepth, limits: DecodeLimits, heldBitmapCount: Int) throws(CodecError) {
        try self.init(
            file.frames.map { frame in
                FrameDescription(
                    left: frame.left,
                    top: frame.top,
                    size: frame.size,
                    blending: frame.blending,
                    disposal: frame.disposal,
                    workingByteCount: PNGStreamDecoder.memory(
                        for: frame.size,
                        ranges: frame.dataRanges,
                        header: file.header,
                        depth: depth
                    )
                )
            },
            canvas: file.header.size,
            depth: depth,
            format: .png,
            limits: limits,
            heldBitmapCount: heldBitmapCount
        )
        try check(0..<frames.count)
    }
}

extension PNGStreamDecoder {
    /// Returns the pixels of a frame of the animation.
    func pixels(ofFrame number: Int) throws -> FramePixels {
        let frame = file.frames[number]
        let isImageData = number == 0 && file.imageIsFirstFrame
        let (bitmap, isPartial) = try decode(
            frame.dataRanges,
            size: frame.size,
            chunkName: isImageData ? "IDAT" : "fdAT of frame \(number)"
        )
        return .bitmap(bitmap, isComplete: !isPartial)
    }
}
