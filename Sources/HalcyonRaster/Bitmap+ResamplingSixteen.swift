internal import CRasterKernels

extension Bitmap {
    /// Resamples as ``resampled(to:filter:isCancelled:)`` does, for samples of 16 bits: the same two passes, in single
    /// precision.
    func resampleSixteen(
        to window: ResamplingWindow,
        into result: inout Bitmap,
        filter: ResamplingFilter,
        isCancelled: () -> Bool
    ) throws {
        let (vertical, horizontal) = ResamplingWeights.cached(
            source: self.size,
            window: window,
            part: result.size,
            filter: filter,
            bits: (vertical: 21, horizontal: 21)
        )
        let (size, origin) = (result.size, window.origin)
        let columns = horizontal.columns(for: origin.x..<(origin.x + size.width), in: width)
        let columnWeights = vertical.fractions
        let firstColumn = origin.x - horizontal.part.lowerBound
        let rowWeights = Array(horizontal.fractions[(firstColumn * horizontal.stride)...])
        let starts = Array(horizontal.starts[firstColumn...])
        // The horizontal sums take the same number of pixels everywhere, with weights of zero beyond the last that
        // counts.
        let sampleCount = (width + horizontal.overhang) * 4
        let samples = try PixelBuffer(byteCount: sampleCount * MemoryLayout<Float>.stride)
        let row = samples.pointer.bindMemory(to: Float.self, capacity: sampleCount)
        (row + width * 4).update(repeating: 0, count: horizontal.overhang * 4)

        try result.withRows(reading: self) { out, outBytesPerRow, source, sourceBytesPerRow in
            let source = source + columns.lowerBound * bytesPerPixel
            try columnWeights.withUnsafeBufferPointer { weights in
                guard let weights = weights.baseAddress else { return }
                for line in 0..<size.height {
                    if isCancelled() { throw CancellationError() }
                    let y = origin.y + line - vertical.part.lowerBound
                    halcyon_sum_rows_16(
                        source + Int(vertical.starts[y]) * sourceBytesPerRow,
                        sourceBytesPerRow,
                        weights + y * vertical.stride,
                        Int(vertical.counts[y]),
                        row + columns.lowerBound * 4,
                        columns.count * 4
                    )
                    halcyon_sum_pixels_16(
                        row,
                        starts,
                        rowWeights,
                        horizontal.stride,
                        out + line * outBytesPerRow,
                        size.width
                    )
                    window.finish(out + line * outBytesPerRow, line)
                }
            }
        }
        withExtendedLifetime(samples) {}
    }
}
