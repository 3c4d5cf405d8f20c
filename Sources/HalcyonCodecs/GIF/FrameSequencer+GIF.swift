internal import HalcyonRaster

extension FrameSequencer {
    /// A sequencer of the frames of a GIF.
    ///
    /// - Throws: ``CodecError/limitExceeded(_:_:)`` for the canvas.
    init(_ file: GIFFile, limits: DecodeLimits, heldBitmapCount: Int) throws(CodecError) {
        try self.init(
            file.frames.map(\.description),
            canvas: file.canvas,
            format: .gif,
            limits: limits,
            heldBitmapCount: heldBitmapCount
        )
    }
}

extension GIFFrame {
    /// The frame in the words all formats share.
    ///
    /// Pixels of the transparent index show what is below; without one the frame replaces it.
    var description: FrameDescription {
        FrameDescription(
            left: left,
            top: top,
            size: size,
            blending: control.transparentIndex == nil ? .source : .over,
            disposal: control.disposal,
            workingByteCount: size.area + dataRange.count
        )
    }
}
