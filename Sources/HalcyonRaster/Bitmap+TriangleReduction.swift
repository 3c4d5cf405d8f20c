internal import CRasterKernels

extension Bitmap {
    /// Returns the image reduced by a whole factor, each pixel a sum over the triangle that reaches to its neighbours.
    ///
    /// Pixel (i, j) lies at pixel ((i − 1) · factor, (j − 1) · factor) of this image. There is one before the first
    /// column and row, and two or more beyond the last: there the pixels at the edge go on, so that repeating what is
    /// at the edge of the result goes on in the same way. Samples have 16 bits; those of 8 are multiplied by 256.
    func reducedByTriangle(factor: Int, isCancelled: () -> Bool) throws -> Bitmap {
        let reducedSize = PixelSize((width - 1) / factor + 4, (height - 1) / factor + 4)
        var result = try Bitmap(uninitialized: reducedSize, isOpaque: false, depth: .sixteen)
        // The sums down the columns, extended by two blocks before them and by as many as there are results after.
        let sumCount = (reducedSize.width + 1) * factor
        let sumMemory = try PixelBuffer(byteCount: sumCount * 4 * MemoryLayout<UInt32>.stride)
        let sums = sumMemory.pointer.bindMemory(to: UInt32.self, capacity: sumCount * 4)
        let restMemory = try PixelBuffer(byteCount: width * 4 * MemoryLayout<UInt32>.stride)
        let rest = restMemory.pointer.bindMemory(to: UInt32.self, capacity: width * 4)
        // The first block has no result and only leaves its rest.
        rest.update(repeating: 0, count: width * 4)
        let first = sums + 2 * factor * 4
        let scale = Float(depth == .eight ? 256 : 1) / Float(factor * factor * factor * factor)

        try result.withRows(reading: self) { out, outBytesPerRow, source, sourceBytesPerRow in
            var rows = [UnsafePointer<UInt8>](repeating: source, count: factor)
            for block in -2..<(reducedSize.height - 1) {
                if isCancelled() { throw CancellationError() }
                for k in rows.indices {
                    rows[k] = source + min(max(block * factor + k, 0), height - 1) * sourceBytesPerRow
                }
                switch depth {
                case .eight: halcyon_reduce_columns(rows, factor, rest, first, width * 4)
                case .sixteen: halcyon_reduce_columns_16(rows, factor, rest, first, width * 4)
                }
                guard block > -2 else { continue }
                first.extendPixels(count: width, before: 2 * factor, after: sumCount - 2 * factor - width)
                halcyon_reduce_pixels(sums, factor, scale, out + (block + 1) * outBytesPerRow, reducedSize.width)
            }
        }
        withExtendedLifetime((sumMemory, restMemory)) {}
        return result
    }
}
