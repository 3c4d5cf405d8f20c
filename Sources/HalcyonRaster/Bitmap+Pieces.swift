extension PixelSize {
    /// The most pixels of a piece of a row: 8 KiB at 16 bits a sample, so that several pieces fit into the first cache.
    static let pieceLength = 1_024

    /// Calls `body` for all rows from top to bottom, in pieces of at most ``pieceLength`` pixels.
    ///
    /// - Parameters:
    ///   - isCancelled: Called before the first piece and every 65,536 pixels, less than 1 ms of the slowest kernel.
    ///   - body: Takes the row, the first column, and the number of pixels.
    /// - Throws: `CancellationError`, once `isCancelled` returns `true`.
    func forEachPiece(isCancelled: () -> Bool, _ body: (Int, Int, Int) -> Void) throws(CancellationError) {
        var pixelsLeft = 0
        for y in 0..<max(0, height) {
            for x in stride(from: 0, to: width, by: Self.pieceLength) {
                if pixelsLeft <= 0 {
                    if isCancelled() { throw CancellationError() }
                    pixelsLeft = 65_536
                }
                let count = min(Self.pieceLength, width - x)
                body(y, x, count)
                pixelsLeft -= count
            }
        }
    }
}

extension Bitmap {
    /// Returns a bitmap of the same size and depth whose pixels `kernel` makes of these, one by one.
    ///
    /// - Parameters:
    ///   - isOpaque: A Boolean value that indicates whether every resulting pixel is opaque.
    ///   - isCancelled: See ``PixelSize/forEachPiece(isCancelled:_:)``.
    ///   - kernel: Reads and writes so many pixels.
    func mapped(
        isOpaque: Bool,
        isCancelled: () -> Bool,
        _ kernel: (UnsafePointer<UInt8>, UnsafeMutablePointer<UInt8>, Int) -> Void
    ) throws -> Bitmap {
        var result = try Bitmap(uninitialized: size, isOpaque: isOpaque, depth: depth)
        let bytesPerPixel = bytesPerPixel
        try result.withRows(reading: self) { out, outBytesPerRow, source, sourceBytesPerRow in
            try size.forEachPiece(isCancelled: isCancelled) { y, x, count in
                kernel(
                    source + y * sourceBytesPerRow + x * bytesPerPixel,
                    out + y * outBytesPerRow + x * bytesPerPixel,
                    count
                )
            }
        }
        return result
    }

    /// Returns a bitmap with the same pixels in memory of its own.
    ///
    /// - Parameter isCancelled: See ``PixelSize/forEachPiece(isCancelled:_:)``.
    /// - Throws: `CancellationError`; ``BitmapError/outOfMemory(byteCount:)``.
    package func copied(isCancelled: () -> Bool) throws -> Bitmap {
        let bytesPerPixel = bytesPerPixel
        return try mapped(isOpaque: isOpaque, isCancelled: isCancelled) { source, out, count in
            out.update(from: source, count: count * bytesPerPixel)
        }
    }
}
