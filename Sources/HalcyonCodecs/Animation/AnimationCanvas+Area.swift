internal import HalcyonRaster

extension AnimationCanvas {
    /// A part of the canvas; never reaches beyond it.
    struct Area {
        let left: Int
        let top: Int
        let width: Int
        let height: Int

        /// The part of a rectangle that lies on a canvas of this size; may be empty.
        init(left: Int, top: Int, size: PixelSize, within canvas: PixelSize) {
            self.left = min(max(left, 0), canvas.width)
            self.top = min(max(top, 0), canvas.height)
            width = max(0, min(size.width, canvas.width - self.left))
            height = max(0, min(size.height, canvas.height - self.top))
        }

        /// Returns whether the area is all of a canvas of this size.
        func covers(_ canvas: PixelSize) -> Bool {
            width == canvas.width && height == canvas.height
        }

        var columns: Range<Int> { left..<left + width }
        var rows: Range<Int> { top..<top + height }
    }
}

extension Bitmap {
    /// Hands each row of an area, as a pointer to its first pixel, to `body` with its number from the area's top.
    mutating func forEachRow(of area: AnimationCanvas.Area, _ body: (UnsafeMutablePointer<UInt8>, Int) -> Void) {
        let (bytesPerRow, bytesPerPixel) = (bytesPerRow, depth.bytesPerPixel)
        withUnsafeMutableBytes { bytes in
            guard let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), area.width > 0 else {
                return
            }
            for row in 0..<area.height {
                body(start + (area.top + row) * bytesPerRow + bytesPerPixel * area.left, row)
            }
        }
    }
}
