internal import CRasterKernels

extension Bitmap {
    /// ``resampled(to:filter:isCancelled:)`` for samples of 16 bits: the same two passes, in single precision.
    func resampleSixteen(
        into result: inout Bitmap,
        filter: ResamplingFilter,
        isCancelled: () -> Bool
    ) throws {
        let vertical = ResamplingWeights.cached(
            source: height,
            destination: result.height,
            filter: filter,
            maximumBits: 21
        )
        let horizontal = ResamplingWeights.cached(
            source: width,
            destination: result.width,
            filter: filter,
            maximumBits: 21
        )
        let (columnWeights, rowWeights) = (vertical.fractions, horizontal.fractions)
        // The horizontal sums take the same number of pixels everywhere, with weights of zero beyond the last that
        // counts.
        let sampleCount = (width + horizontal.overhang) * 4
        let samples = try PixelBuffer(byteCount: sampleCount * MemoryLayout<Float>.stride)
        let row = samples.pointer.bindMemory(to: Float.self, capacity: sampleCount)
        (row + width * 4).update(repeating: 0, count: horizontal.overhang * 4)

        let size = result.size
        try result.withRows(reading: self) { out, outBytesPerRow, source, sourceBytesPerRow in
            try columnWeights.withUnsafeBufferPointer { weights in
                guard let weights = weights.baseAddress else { return }
                for y in 0..<size.height {
                    if isCancelled() { throw CancellationError() }
                    halcyon_sum_rows_16(
                        source + Int(vertical.starts[y]) * sourceBytesPerRow,
                        sourceBytesPerRow,
                        weights + y * vertical.stride,
                        Int(vertical.counts[y]),
                        row,
                        width * 4
                    )
                    halcyon_sum_pixels_16(
                        row,
                        horizontal.starts,
                        rowWeights,
                        horizontal.stride,
                        out + y * outBytesPerRow,
                        size.width
                    )
                }
            }
        }
        withExtendedLifetime(samples) {}
    }
}
