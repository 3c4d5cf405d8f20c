extension Bitmap {
    /// Draws `source` over this image (source-over, Porter and Duff 1984), its top left pixel at `point`.
    ///
    /// The part of the source outside of this image is left out. Drawing an image onto itself is allowed. A source of
    /// another depth is drawn as if converted to this one's.
    public mutating func draw(_ source: Bitmap, at point: PixelPoint = .zero) {
        let visible = PixelRect(origin: point, size: source.size).intersection(PixelRect(size: size))
        guard !visible.isEmpty else { return }
        let depth = depth
        let width = visible.size.width
        let pieceByteCount = min(width, PixelSize.pieceLength) * depth.bytesPerPixel
        var converted = [UInt8](repeating: 0, count: source.depth == depth ? 0 : pieceByteCount)
        withRows(reading: source) { out, outBytesPerRow, rows, sourceBytesPerRow in
            for y in 0..<visible.size.height {
                let to = out + (visible.origin.y + y) * outBytesPerRow + visible.origin.x * depth.bytesPerPixel
                let from =
                    rows + (visible.origin.y - point.y + y) * sourceBytesPerRow
                    + (visible.origin.x - point.x) * source.bytesPerPixel
                if source.isOpaque {
                    source.depth.convert(from, to: depth, to, width)
                } else if source.depth == depth {
                    depth.drawOver(from, to, width)
                } else {
                    converted.withUnsafeMutableBufferPointer { converted in
                        guard let piece = converted.baseAddress else { return }
                        for x in stride(from: 0, to: width, by: PixelSize.pieceLength) {
                            let count = min(PixelSize.pieceLength, width - x)
                            source.depth.convert(from + x * source.bytesPerPixel, to: depth, piece, count)
                            depth.drawOver(piece, to + x * depth.bytesPerPixel, count)
                        }
                    }
                }
            }
        }
        if source.isOpaque, visible.size == size {
            isOpaque = true
        }
    }

    /// Replaces the pixels inside `rect` by `color`, alpha included. The part of `rect` outside of the image is left
    /// out.
    public mutating func fill(_ rect: PixelRect, with color: Color) {
        let rect = rect.intersection(PixelRect(size: size))
        guard !rect.isEmpty else { return }
        let depth = depth
        withMutableRows { out, bytesPerRow in
            for y in rect.origin.y..<(rect.origin.y + rect.size.height) {
                depth.fill(out + y * bytesPerRow + rect.origin.x * depth.bytesPerPixel, with: color, rect.size.width)
            }
        }
        if !color.isOpaque(at: depth) {
            isOpaque = false
        } else if rect.size == size {
            isOpaque = true
        }
    }
}
