internal import CPNGKernels
internal import HalcyonRaster

/// The rows of a bitmap as PNG compresses them: a filter type, then the filtered samples.
struct PNGFilteredRows {
    let hasAlpha: Bool
    let byteCount: Int
    let buffer: PixelBuffer

    /// Filters all rows.
    ///
    /// Raw pointers: five filters run over every byte. All lengths come from the bitmap.
    init(_ bitmap: Bitmap) throws(BitmapError) {
        hasAlpha = !bitmap.isOpaque && bitmap.containsTransparency()
        let bytesPerPixel = (hasAlpha ? 4 : 3) * bitmap.depth.rawValue / 8
        let rowBytes = bitmap.width * bytesPerPixel
        byteCount = (rowBytes + 1) * bitmap.height
        buffer = try PixelBuffer(byteCount: byteCount)
        // The row, the row above it, and one for each filter to try.
        let scratch = try PixelBuffer(byteCount: rowBytes * 7)
        scratch.pointer.initializeMemory(as: UInt8.self, repeating: 0, count: rowBytes * 7)
        let lines = scratch.pointer.assumingMemoryBound(to: UInt8.self)
        let output = buffer.pointer.assumingMemoryBound(to: UInt8.self)
        var row = lines
        var previous = lines + rowBytes
        bitmap.withUnsafeBytes { bytes in
            guard let pixels = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else {
                return
            }
            for y in 0..<bitmap.height {
                let source = pixels + y * bitmap.bytesPerRow
                if hasAlpha {
                    PixelConversion.writeStraight(source, into: row, count: bitmap.width, depth: bitmap.depth)
                } else if bitmap.depth == .sixteen {
                    halcyon_png_drop_alpha_16(row, source, bitmap.width)
                } else {
                    halcyon_png_drop_alpha(row, source, bitmap.width)
                }
                let target = output + y * (rowBytes + 1)
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
