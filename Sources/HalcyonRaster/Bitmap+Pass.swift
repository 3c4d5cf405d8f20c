extension Bitmap {
    /// Returns the result of a pass over this image; the same bitmap at no cost where nothing changes.
    ///
    /// - Parameters:
    ///   - pass: A pass for images of this size.
    ///   - isCancelled: Called before every row of the result.
    /// - Throws: `CancellationError` when `isCancelled` returns `true`; ``BitmapError/invalidSize(_:)`` or
    ///   ``BitmapError/outOfMemory(byteCount:)`` as for any new bitmap.
    package func applying(_ pass: BitmapPass, isCancelled: () -> Bool = { false }) throws -> Bitmap {
        var painters = try pass.painters(depth: depth, isOpaque: isOpaque)
        guard pass.scaledSize != size || pass.size != size || !painters.isEmpty else { return self }
        // As for a bitmap of the whole size, of which nothing that is cut off is made.
        guard pass.scaledSize.isBitmapSize else { throw BitmapError.invalidSize(pass.scaledSize) }
        var result = try Bitmap(
            uninitialized: pass.size,
            isOpaque: painters.last?.isOpaque ?? isOpaque,
            depth: depth
        )
        // A copied row is read from memory, changed and written at once.
        let first = pass.scaledSize == size ? painters.first?.colors : nil
        if first != nil { painters.removeFirst() }
        let finish = { (row: UnsafeMutablePointer<UInt8>, y: Int) in
            for index in painters.indices {
                painters[index].paint(row, row: y)
            }
        }
        if pass.scaledSize == size {
            try copyRows(of: pass.part, to: &result, changing: first, isCancelled: isCancelled, finish: finish)
        } else {
            let window = ResamplingWindow(scaledSize: pass.scaledSize, origin: pass.part.origin, finish: finish)
            try resample(to: window, into: &result, filter: .lanczos3, isCancelled: isCancelled)
        }
        return result
    }

    private func copyRows(
        of rect: PixelRect,
        to result: inout Bitmap,
        changing colors: ColorPainter?,
        isCancelled: () -> Bool,
        finish: (UnsafeMutablePointer<UInt8>, Int) -> Void
    ) throws {
        try result.withRows(reading: self) { out, outBytesPerRow, source, sourceBytesPerRow in
            for y in 0..<rect.size.height {
                if isCancelled() { throw CancellationError() }
                let row = out + y * outBytesPerRow
                let part = source + (rect.origin.y + y) * sourceBytesPerRow + rect.origin.x * bytesPerPixel
                if let colors {
                    colors.paint(part, into: row)
                } else {
                    row.update(from: part, count: rect.size.width * bytesPerPixel)
                }
                finish(row, y)
            }
        }
    }
}
