extension Bitmap {
    /// Returns the image with a colour put over every pixel.
    ///
    /// - Parameters:
    ///   - color: The source.
    ///   - mode: The rule; this image is the backdrop. Default: ``BlendMode/normal``.
    ///   - opacity: What the colour's alpha is multiplied by, limited to 0…1; not a number counts as 0. Default: 1.
    ///   - isCancelled: Called every 65,536 pixels.
    /// - Throws: `CancellationError` when `isCancelled` returns `true`; ``BitmapError/outOfMemory(byteCount:)``.
    public func blended(
        with color: Color,
        mode: BlendMode = .normal,
        opacity: Double = 1,
        isCancelled: () -> Bool = { false }
    ) throws -> Bitmap {
        try changingColors(.tint(color, mode: mode, opacity: opacity), isCancelled: isCancelled)
    }

    /// Returns the image put over a colour.
    ///
    /// - Parameters:
    ///   - color: The backdrop. ``Color/clear`` leaves the image alone, with its opacity, in most modes.
    ///   - mode: The rule; this image is the source. Default: ``BlendMode/normal``.
    ///   - opacity: What the image's alpha is multiplied by, limited to 0…1; not a number counts as 0. Default: 1.
    ///   - isCancelled: Called every 65,536 pixels.
    /// - Throws: `CancellationError` when `isCancelled` returns `true`; ``BitmapError/outOfMemory(byteCount:)``.
    public func blended(
        over color: Color,
        mode: BlendMode = .normal,
        opacity: Double = 1,
        isCancelled: () -> Bool = { false }
    ) throws -> Bitmap {
        try changingColors(.background(color, mode: mode, opacity: opacity), isCancelled: isCancelled)
    }

    /// Draws `source` onto this image by a rule, its top left pixel at `point`.
    ///
    /// The part of the source outside of this image is left out, and pixels that the source does not reach stay as they
    /// are, whatever the rule. A source of another depth is drawn as if converted to this one's.
    ///
    /// - Parameters:
    ///   - source: The image to draw.
    ///   - point: The place of its top left pixel. Default: the top left corner.
    ///   - mode: The rule; this image is the backdrop.
    ///   - opacity: What the source's alpha is multiplied by, limited to 0…1; not a number counts as 0. Default: 1.
    ///   - isCancelled: Called every 65,536 pixels.
    /// - Throws: `CancellationError` when `isCancelled` returns `true`; a part of the source is drawn then.
    public mutating func draw(
        _ source: Bitmap,
        at point: PixelPoint = .zero,
        mode: BlendMode,
        opacity: Double = 1,
        isCancelled: () -> Bool = { false }
    ) throws {
        let visible = PixelRect(origin: point, size: source.size).intersection(PixelRect(size: size))
        guard !visible.isEmpty else { return }
        let (depth, opacity, isWhole) = (depth, BlendMode.limited(opacity), visible.size == size)
        let sourceIsOpaque = opacity == 1 && source.isOpaque
        let resultIsOpaque = mode.isOpaque(source: sourceIsOpaque, backdrop: isOpaque)
        // Before the first pixel changes, since drawing may end half-way.
        if !resultIsOpaque { isOpaque = false }
        let pieceByteCount = min(visible.size.width, PixelSize.pieceLength) * depth.bytesPerPixel
        var converted = [UInt8](repeating: 0, count: source.depth == depth ? 0 : pieceByteCount)
        try withRows(reading: source) { out, outBytesPerRow, rows, sourceBytesPerRow in
            try visible.size.forEachPiece(isCancelled: isCancelled) { y, x, count in
                let to =
                    out + (visible.origin.y + y) * outBytesPerRow + (visible.origin.x + x) * depth.bytesPerPixel
                let from =
                    rows + (visible.origin.y - point.y + y) * sourceBytesPerRow
                    + (visible.origin.x - point.x + x) * source.bytesPerPixel
                guard source.depth != depth else {
                    return mode.blend(from, over: to, into: to, count: count, opacity: opacity, depth: depth)
                }
                converted.withUnsafeMutableBufferPointer { converted in
                    guard let piece = converted.baseAddress else { return }
                    source.depth.convert(from, to: depth, piece, count)
                    mode.blend(piece, over: to, into: to, count: count, opacity: opacity, depth: depth)
                }
            }
        }
        if resultIsOpaque, isWhole { isOpaque = true }
    }
}
