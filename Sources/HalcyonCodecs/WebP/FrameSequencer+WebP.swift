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
        let hasAlpha = image?.hasAlpha == true
        let ownByteCount = image?.isLossless == true ? byteCount : hasAlpha ? byteCount / 4 : 0
        return FrameDescription(
            left: left,
            top: top,
            size: size,
            blending: blends && hasAlpha ? .over : .source,
            disposal: disposal,
            workingByteCount: byteCount + ownByteCount
        )
    }

    /// Returns the pixels of the frame. Rows that are missing are transparent, so that what is below the frame remains
    /// unless the frame replaces it.
    ///
    /// - Parameters:
    ///   - number: The number of the frame, for errors.
    ///   - canvas: The size of the canvas, which the frame must not reach beyond.
    ///   - damage: What becomes of a frame whose data are cut short or damaged.
    ///   - isCancelled: Asked between slices of the data.
    func pixels(
        _ number: Int,
        on canvas: PixelSize,
        damage: DamageHandling,
        isCancelled: () -> Bool
    ) throws -> FramePixels {
        guard left + size.width <= canvas.width, top + size.height <= canvas.height else {
            throw CodecError.corrupt(.webp, reason: "frame \(number) reaches beyond the canvas")
        }
        guard let image, image.size == size else {
            throw isCutShort
                ? CodecError.truncated(.webp)
                : .corrupt(.webp, reason: "frame \(number) has no image of the size it says")
        }
        var pixels = try WebPStillReader.pixels(of: image, damage: damage, isCancelled: isCancelled)
        guard !pixels.isPartial else {
            let replaces = !blends && image.hasAlpha
            let drawing = replaces ? AnimationCanvas.Drawing.replacing(isOpaque: false) : .over
            return .rows(drawing, isComplete: false) { [bitmap = pixels.bitmap] row, y in
                bitmap.withUnsafeBytes { bytes in
                    guard let start = bytes.assumingMemoryBound(to: UInt8.self).baseAddress else {
                        return
                    }
                    let source = start + y * bitmap.bytesPerRow
                    if replaces {
                        row.update(from: source, count: bitmap.width * bitmap.bytesPerPixel)
                    } else {
                        PixelConversion.composite(source, over: row, count: bitmap.width)
                    }
                }
            }
        }
        if image.hasAlpha {
            pixels.bitmap.isOpaque = !pixels.bitmap.containsTransparency()
        }
        return .bitmap(pixels.bitmap)
    }
}
