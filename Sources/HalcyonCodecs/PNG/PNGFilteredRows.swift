internal import CPNGKernels
internal import HalcyonRaster

/// The rows of an image as PNG compresses them: a filter type, then the filtered samples.
struct PNGFilteredRows {
    let byteCount: Int
    let buffer: PixelBuffer

    /// Filters all rows, each with the filter whose result has the smallest sum of absolute values (PNG, 12.7), except
    /// for palettes, whose indices are no quantities.
    ///
    /// Raw pointers: five filters run over every byte. All lengths come from the bitmap.
    init(_ bitmap: Bitmap, _ layout: PNGPixelLayout) throws(BitmapError) {
        let rowBytes = layout.rowByteCount(width: bitmap.width)
        byteCount = (rowBytes + 1) * bitmap.height
        buffer = try PixelBuffer(byteCount: byteCount)
        let output = buffer.pointer.assumingMemoryBound(to: UInt8.self)
        // The row, the row above it, and one for each filter to try.
        let scratch = try PixelBuffer(byteCount: rowBytes * 7)
        scratch.pointer.initializeMemory(as: UInt8.self, repeating: 0, count: rowBytes * 7)
        let lines = scratch.pointer.assumingMemoryBound(to: UInt8.self)
        var row = lines
        var previous = lines + rowBytes
        let bytesPerPixel = layout.bytesPerPixel
        bitmap.withUnsafeBytes { bytes in
            guard let pixels = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else {
                return
            }
            for y in 0..<bitmap.height {
                let target = output + y * (rowBytes + 1)
                let source = pixels + y * bitmap.bytesPerRow
                if layout.isIndexed {
                    target[0] = 0
                    layout.write(source, width: bitmap.width, to: target + 1)
                    continue
                }
                layout.write(source, width: bitmap.width, to: row)
                var least = UInt64.max
                for type in 0..<5 {
                    let candidate = lines + (2 + type) * rowBytes
                    let sum = halcyon_png_filter(Int32(type), candidate, row, previous, rowBytes, bytesPerPixel)
                    if sum < least {
                        least = sum
                        target[0] = UInt8(type)
                    }
                }
                (target + 1).update(from: lines + (2 + Int(target[0])) * rowBytes, count: rowBytes)
                swap(&row, &previous)
            }
        }
    }
}
