internal import HalcyonRaster

extension AnimationCanvas {
    /// Undoes the frame before and draws this one.
    ///
    /// - Throws: As ``drawFrame(_:_:disposal:draw:)`` does.
    mutating func draw(_ pixels: FramePixels, of frame: FrameDescription) throws(BitmapError) {
        switch pixels {
        case .bitmap(let bitmap, _):
            try draw(bitmap, of: frame)
        case .rows(let drawing, _, let write):
            try drawFrame(frame.area(on: size), drawing, disposal: frame.disposal, draw: write)
        }
    }

    /// Draws a decoded frame of the canvas's depth, with an exact `isOpaque`.
    private mutating func draw(_ bitmap: Bitmap, of frame: FrameDescription) throws(BitmapError) {
        let area = frame.area(on: size)
        let replaces = frame.blending == .source || bitmap.isOpaque
        if replaces, bitmap.size == size, area.covers(size) {
            return replaceAll(with: bitmap, disposal: frame.disposal)
        }
        let (bytesPerRow, depth) = (bitmap.bytesPerRow, bitmap.depth)
        let drawing = replaces ? Drawing.replacing(isOpaque: bitmap.isOpaque) : .over
        try bitmap.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) throws(BitmapError) in
            guard let pixels = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else {
                return
            }
            try drawFrame(area, drawing, disposal: frame.disposal) { row, y in
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
