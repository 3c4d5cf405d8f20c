internal import CRasterKernels

extension Bitmap {
    /// Writes sums over the neighbours of each pixel to `result`: down the columns of a row, then along what this
    /// gives.
    ///
    /// Goes through strips of 512 columns, so that the rows that a sum takes stay in the processor's second cache.
    func sumNeighbors(_ weights: GaussianWeights, into result: inout Bitmap, isCancelled: () -> Bool) throws {
        let radius = weights.radius
        let sampleCount = (min(512, width) + 2 * radius) * 4
        let memory = try PixelBuffer(byteCount: sampleCount * MemoryLayout<UInt16>.stride)
        let samples = memory.pointer.bindMemory(to: UInt16.self, capacity: sampleCount)
        let resultDepth = result.depth
        try result.withRows(reading: self) { out, outBytesPerRow, source, sourceBytesPerRow in
            var rows = [UnsafePointer<UInt8>](repeating: source, count: 2 * radius + 1)
            for left in stride(from: 0, to: width, by: 512) {
                let right = min(left + 512, width)
                let readLeft = max(0, left - radius)
                let readRight = min(width, right + radius)
                let first = samples + (readLeft - (left - radius)) * 4
                for y in 0..<height {
                    if y % 16 == 0, isCancelled() { throw CancellationError() }
                    for k in rows.indices {
                        let row = min(max(y + k - radius, 0), height - 1)
                        rows[k] = source + row * sourceBytesPerRow + readLeft * bytesPerPixel
                    }
                    let count = (readRight - readLeft) * 4
                    switch depth {
                    case .eight: halcyon_blur_columns(rows, weights.values, radius, first, count)
                    case .sixteen: halcyon_blur_columns_16(rows, weights.values, radius, first, count)
                    }
                    first.extendPixels(count: readRight - readLeft, before: readLeft - (left - radius))
                    first.extendPixels(count: readRight - readLeft, after: right + radius - readRight)
                    let middle = samples + radius * 4
                    let pixels = out + y * outBytesPerRow + left * resultDepth.bytesPerPixel
                    switch resultDepth {
                    case .eight: halcyon_blur_rows(middle, weights.values, radius, pixels, (right - left) * 4)
                    case .sixteen: halcyon_blur_rows_16(middle, weights.values, radius, pixels, (right - left) * 4)
                    }
                }
            }
        }
        withExtendedLifetime(memory) {}
    }
}

extension UnsafeMutablePointer {
    /// Writes the first of `count` pixels of four samples so often before them, and the last so often after them.
    /// That memory must exist.
    func extendPixels(count: Int, before: Int = 0, after: Int = 0) {
        for pixel in 0..<before {
            (self - (pixel + 1) * 4).update(from: self, count: 4)
        }
        let last = self + (count - 1) * 4
        for pixel in 0..<after {
            (last + (pixel + 1) * 4).update(from: last, count: 4)
        }
    }
}
