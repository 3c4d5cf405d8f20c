internal import CRasterKernels

extension Bitmap {
    /// Draws `source` over this picture (source-over, Porter and Duff 1984), its top left pixel at `point`.
    ///
    /// What lies outside of this picture is left out. Drawing a picture onto itself is allowed.
    public mutating func draw(_ source: Bitmap, at point: PixelPoint = .zero) {
        let visible = PixelRect(origin: point, size: source.size).intersection(PixelRect(size: size))
        guard !visible.isEmpty else { return }
        withRows(reading: source) { out, outBytesPerRow, rows, sourceBytesPerRow in
            for y in 0..<visible.size.height {
                let to = out + (visible.origin.y + y) * outBytesPerRow + visible.origin.x * 4
                let from =
                    rows + (visible.origin.y - point.y + y) * sourceBytesPerRow + (visible.origin.x - point.x) * 4
                if source.isOpaque {
                    to.update(from: from, count: visible.size.width * 4)
                } else {
                    halcyon_source_over(from, to, visible.size.width)
                }
            }
        }
        if source.isOpaque, visible.size == size {
            isOpaque = true
        }
    }

    /// Replaces the pixels inside `rect` by `color`, alpha included. What of `rect` lies outside is left out.
    public mutating func fill(_ rect: PixelRect, with color: Color) {
        let rect = rect.intersection(PixelRect(size: size))
        guard !rect.isEmpty else { return }
        let pixel = color.premultipliedPixel
        withMutableRows { out, bytesPerRow in
            withUnsafePointer(to: pixel) { pixel in
                pixel.withMemoryRebound(to: UInt8.self, capacity: 4) { samples in
                    for y in rect.origin.y..<(rect.origin.y + rect.size.height) {
                        halcyon_fill_pixels(out + y * bytesPerRow + rect.origin.x * 4, samples, rect.size.width)
                    }
                }
            }
        }
        if pixel.w < 255 {
            isOpaque = false
        } else if rect.size == size {
            isOpaque = true
        }
    }
}
