internal import CRasterKernels

extension Bitmap {
    /// Resamples as ``resampled(to:filter:isCancelled:)`` does, for samples of 16 bits: the same two passes, in single
    /// precision.
    ///
    /// - Parameter tile: The part of the result that is made.
    func resampleSixteen(
        to window: ResamplingWindow,
        _ tile: PixelRect,
        of result: inout Bitmap,
        filter: ResamplingFilter,
        isCancelled: () -> Bool
    ) throws {
        let (vertical, horizontal) = ResamplingWeights.cached(
            source: self,
            window: window,
            part: tile,
            filter: filter,
            bits: (vertical: 21, horizontal: 21)
        )
        let (size, origin) = (tile.size, window.origin(of: tile))
        let columns = horizontal.columns(for: origin.x..<(origin.x + size.width), in: width)
        let columnWeights = vertical.fractions
        let firstColumn = origin.x - horizontal.part.lowerBound
        let rowWeights = Array(horizontal.fractions[(firstColumn * horizontal.stride)...])
        let place = horizontal.row(for: columns, in: width)
        let starts = Array(place.starts[firstColumn...])
        // The horizontal sums take the same number of pixels everywhere, with weights of zero beyond the last that
        // counts.
        let sampleCount = place.length * 4
        let samples = try PixelBuffer(byteCount: sampleCount * MemoryLayout<Float>.stride)
        let row = samples.pointer.bindMemory(to: Float.self, capacity: sampleCount)
        let endOfColumns = (columns.upperBound - place.origin) * 4
        (row + endOfColumns).update(repeating: 0, count: sampleCount - endOfColumns)

        try result.withRows(reading: self) { out, outBytesPerRow, source, sourceBytesPerRow in
            let source = source + columns.lowerBound * bytesPerPixel
            let out = out + tile.origin.y * outBytesPerRow + tile.origin.x * bytesPerPixel
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
                        row + (columns.lowerBound - place.origin) * 4,
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
                    window.finish(out + line * outBytesPerRow, tile.origin.y + line)
                }
            }
        }
        withExtendedLifetime(samples) {}
    }
}
