internal import HalcyonRaster

extension AnimationCanvas {
    /// The ground of a frame: a bitmap, or else transparent pixels, of which one area is cleared.
    struct Ground {
        var bitmap: Bitmap?
        var cleared: Area?

        var isOpaque: Bool { bitmap?.isOpaque == true && cleared == nil }

        /// Takes the bitmap out to be drawn into, unless it has another owner too.
        mutating func takeBitmap() -> Bitmap? {
            guard var owned = bitmap else {
                return nil
            }
            bitmap = nil
            guard PixelBuffer.isWritable(&owned.buffer) else {
                bitmap = owned
                return nil
            }
            if let cleared {
                let byteCount = owned.depth.bytesPerPixel * cleared.width
                owned.forEachRow(of: cleared) { row, _ in row.update(repeating: 0, count: byteCount) }
            }
            return owned
        }

        /// Returns the same pixels in a bitmap of their own.
        ///
        /// - Parameter replaced: An area whose pixels are left as they happen to be.
        func copy(size: PixelSize, depth: SampleDepth, without replaced: Area?) throws(BitmapError) -> Bitmap {
            var result = try Bitmap(uninitialized: size, isOpaque: false, depth: depth)
            let (bytesPerRow, bytesPerPixel) = (result.bytesPerRow, depth.bytesPerPixel)
            let source = bitmap
            result.withUnsafeMutableBytes { (target: UnsafeMutableRawBufferPointer) in
                guard let target = target.baseAddress else {
                    return
                }
                for y in 0..<size.height {
                    let row = target + y * bytesPerRow
                    guard let replaced, replaced.rows.contains(y) else {
                        copy(source, row: y, columns: 0..<size.width, to: row, bytesPerPixel)
                        continue
                    }
                    copy(source, row: y, columns: 0..<replaced.left, to: row, bytesPerPixel)
                    copy(source, row: y, columns: replaced.columns.upperBound..<size.width, to: row, bytesPerPixel)
                }
            }
            return result
        }

        /// Raw pointers, because most of a frame passes through here; both bitmaps have the size of the canvas.
        private func copy(
            _ source: Bitmap?,
            row: Int,
            columns: Range<Int>,
            to target: UnsafeMutableRawPointer,
            _ bytesPerPixel: Int
        ) {
            guard !columns.isEmpty else {
                return
            }
            let start = target + bytesPerPixel * columns.lowerBound
            guard let source else {
                start.initializeMemory(as: UInt8.self, repeating: 0, count: bytesPerPixel * columns.count)
                return
            }
            source.withUnsafeBytes { bytes in
                if let pixels = bytes.baseAddress {
                    start.copyMemory(
                        from: pixels + row * source.bytesPerRow + bytesPerPixel * columns.lowerBound,
                        byteCount: bytesPerPixel * columns.count
                    )
                }
            }
            if let cleared, cleared.rows.contains(row) {
                let hole = cleared.columns.clamped(to: columns)
                (target + bytesPerPixel * hole.lowerBound)
                    .initializeMemory(as: UInt8.self, repeating: 0, count: bytesPerPixel * hole.count)
            }
        }
    }
}
