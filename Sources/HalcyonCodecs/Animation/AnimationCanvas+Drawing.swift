internal import HalcyonRaster

extension AnimationCanvas {
    /// Draws a decoded frame of the canvas's depth, whose `isOpaque` tells the truth, with its top left pixel at `left` and `top`.
    ///
    /// - Parameter blends: Whether the frame is laid over what is there instead of replacing it.
    /// - Throws: As ``drawFrame(_:_:disposal:draw:)`` does.
    mutating func draw(
        _ frame: Bitmap,
        left: Int,
        top: Int,
        blends: Bool,
        disposal: Disposal
    ) throws(BitmapError) {
        let area = Area(left: left, top: top, size: frame.size, within: size)
        let replaces = !blends || frame.isOpaque
        if replaces, frame.size == size, area.covers(size) {
            return replaceAll(with: frame, disposal: disposal)
        }
        let (bytesPerRow, depth) = (frame.bytesPerRow, frame.depth)
        let drawing = replaces ? Drawing.replacing(isOpaque: frame.isOpaque) : .over
        try frame.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) throws(BitmapError) in
            guard let pixels = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else {
                return
            }
            try drawFrame(area, drawing, disposal: disposal) { row, y in
                let source = pixels + y * bytesPerRow
                if replaces {
                    row.update(from: source, count: depth.bytesPerPixel * area.width)
                } else {
                    PixelConversion.composite(source, over: row, count: area.width, depth: depth)
                }
            }
        }
    }
}
