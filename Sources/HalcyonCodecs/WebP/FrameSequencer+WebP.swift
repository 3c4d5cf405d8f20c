internal import HalcyonRaster

extension FrameSequencer {
    /// A sequencer of the frames of an animated WebP (RFC 9649 2.7.1.1).
    ///
    /// libwebp's own composer copies the whole canvas twice a frame, has to be asked for every frame from the first on,
    /// and refuses an animation of which one frame is damaged.
    ///
    /// - Throws: ``CodecError/limitExceeded(_:_:)`` for the canvas.
    init(_ header: WebPHeader, limits: DecodeLimits, heldBitmapCount: Int) throws(CodecError) {
        try self.init(
            header.frames.map(\.description),
            canvas: header.size,
            format: .webp,
            limits: limits,
            heldBitmapCount: heldBitmapCount
        )
    }
}

extension WebPFrame {
    /// The frame in the words all formats share.
    var description: FrameDescription {
        let byteCount = size.bitmapByteCount
        // libwebp decodes a lossless frame to a copy of its own; otherwise it does so with the alpha channel.
        let ownByteCount = isLossless ? byteCount : hasAlpha ? byteCount / 4 : 0
        return FrameDescription(
            left: left,
            top: top,
            size: size,
            blending: blends && hasAlpha ? .over : .source,
            disposal: disposal,
            workingByteCount: byteCount + ownByteCount
        )
    }

    /// Returns the pixels of the frame.
    ///
    /// - Parameters:
    ///   - number: The number of the frame, for errors.
    ///   - canvas: The size of the canvas, which the frame must not reach beyond.
    ///   - isCancelled: Asked between slices of the data.
    func pixels(_ number: Int, on canvas: PixelSize, isCancelled: () -> Bool) throws -> FramePixels {
        guard left + size.width <= canvas.width, top + size.height <= canvas.height else {
            throw CodecError.corrupt(.webp, reason: "frame \(number) reaches beyond the canvas")
        }
        guard imageSize == size else {
            throw isCutShort
                ? CodecError.truncated(.webp)
                : .corrupt(.webp, reason: "frame \(number) has no image of the size it says")
        }
        var bitmap = try WebPStillReader.pixels(
            of: data,
            size: size,
            hasAlpha: hasAlpha,
            isCutShort: isCutShort,
            isCancelled: isCancelled
        )
        if hasAlpha || isLossless {
            // The header's flag of alpha is only a hint (RFC 9649 3.4).
            bitmap.isOpaque = !bitmap.containsTransparency()
        }
        return .bitmap(bitmap)
    }
}
