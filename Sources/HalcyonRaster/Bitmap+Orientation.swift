extension Bitmap {
    /// Returns the image upright, when its rows and columns are stored as `orientation` says.
    ///
    /// Returns the same bitmap at no cost for ``Orientation/up``.
    ///
    /// - Parameter isCancelled: Called before every 16 rows.
    /// - Throws: `CancellationError` when `isCancelled` returns `true`, ``BitmapError/outOfMemory(byteCount:)`` where the
    ///   memory cannot be allocated.
    public func oriented(_ orientation: Orientation, isCancelled: () -> Bool = { false }) throws -> Bitmap {
        guard orientation != .up else { return self }
        var result = try Bitmap(uninitialized: orientation.displaySize(of: size), isOpaque: isOpaque, depth: depth)
        result.partialEdges = partialEdges.upright(orientation)
        let resultHeight = result.height
        try result.withRows(reading: self) { out, outBytesPerRow, source, sourceBytesPerRow in
            // Walking rows from the last to the first mirrors top to bottom.
            let lastSource = source + (height - 1) * sourceBytesPerRow
            let lastOut = out + (resultHeight - 1) * outBytesPerRow
            // The transposition takes blocks of 16 rows, which become as many columns.
            for top in stride(from: 0, to: height, by: 16) {
                if isCancelled() { throw CancellationError() }
                let rows = top..<min(top + 16, height)
                func transpose(
                    _ source: UnsafePointer<UInt8>,
                    _ sourceBytesPerRow: Int,
                    _ out: UnsafeMutablePointer<UInt8>,
                    _ outBytesPerRow: Int
                ) {
                    depth.transpose(
                        source + top * sourceBytesPerRow,
                        sourceBytesPerRow,
                        out + top * bytesPerPixel,
                        outBytesPerRow,
                        width,
                        rows.count
                    )
                }
                switch orientation {
                case .up, .upMirrored:
                    for y in rows {
                        depth.reverse(source + y * sourceBytesPerRow, out + y * outBytesPerRow, width)
                    }
                case .down:
                    for y in rows {
                        depth.reverse(lastSource - y * sourceBytesPerRow, out + y * outBytesPerRow, width)
                    }
                case .downMirrored:
                    for y in rows {
                        (out + y * outBytesPerRow)
                            .update(from: lastSource - y * sourceBytesPerRow, count: width * bytesPerPixel)
                    }
                case .leftMirrored: transpose(source, sourceBytesPerRow, out, outBytesPerRow)
                case .right: transpose(lastSource, -sourceBytesPerRow, out, outBytesPerRow)
                case .rightMirrored: transpose(lastSource, -sourceBytesPerRow, lastOut, -outBytesPerRow)
                case .left: transpose(source, sourceBytesPerRow, lastOut, -outBytesPerRow)
                }
            }
        }
        return result
    }
}
