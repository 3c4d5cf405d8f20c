internal import CRasterKernels

extension Bitmap {
    /// The picture at another size.
    ///
    /// Works on premultiplied samples, so that the colour of transparent pixels does not bleed into visible ones, and
    /// in the encoding of the samples (sRGB), as is customary. An even area stays exactly as it is, an opaque picture
    /// opaque. Beyond the result, the memory taken is one row of the source at twice its depth. The same size
    /// gives the same bitmap at no cost.
    ///
    /// - Parameters:
    ///   - size: width and height of the result; the shape may change.
    ///   - filter: how source pixels are weighted, Lanczos with three lobes by default.
    ///   - isCancelled: asked before every row of the result.
    /// - Throws: `CancellationError` when `isCancelled` says so; ``BitmapError/invalidSize(_:)`` or
    ///   ``BitmapError/outOfMemory(byteCount:)`` as for any new bitmap.
    public func resampled(
        to size: PixelSize,
        filter: ResamplingFilter = .lanczos3,
        isCancelled: () -> Bool = { false }
    ) throws -> Bitmap {
        guard size != self.size else { return self }
        var result = try Bitmap(uninitialized: size, isOpaque: isOpaque, depth: depth)
        if filter == .nearest {
            try pickNearest(into: &result, isCancelled: isCancelled)
        } else if depth == .sixteen {
            try resampleSixteen(into: &result, filter: filter, isCancelled: isCancelled)
        } else {
            try resample(into: &result, filter: filter, isCancelled: isCancelled)
        }
        return result
    }

    private func pickNearest(into result: inout Bitmap, isCancelled: () -> Bool) throws {
        // The middle of a destination pixel lies in source pixel (2o + 1) * source / (2 * destination).
        let columns = (0..<result.width).map { Int32((2 * $0 + 1) * width / (2 * result.width)) }
        let size = result.size
        try result.withRows(reading: self) { out, outBytesPerRow, source, sourceBytesPerRow in
            for y in 0..<size.height {
                if isCancelled() { throw CancellationError() }
                let row = (2 * y + 1) * height / (2 * size.height)
                depth.gather(
                    source + row * sourceBytesPerRow,
                    columns,
                    out + y * outBytesPerRow,
                    size.width
                )
            }
        }
    }

    /// Down the columns first, then along the row that this gives: each row of the result needs one intermediate row
    /// only, and the pass that touches all source pixels is the one that reads them in order.
    private func resample(into result: inout Bitmap, filter: ResamplingFilter, isCancelled: () -> Bool) throws {
        // 255 * 1.9 * 2^21 fits 32 bits, where 1.9 is more than the sum of the absolute weights of any filter here;
        // so does 255 * 1.9 * 2^6 * 2^15.
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
            maximumBits: 15
        )
        let fractionalBits = 6
        // The horizontal sums take whole groups of four pixels, with weights of zero beyond the last that counts.
        let sampleCount = (width + horizontal.overhang) * 4
        let samples = try PixelBuffer(byteCount: sampleCount * 2)
        let row = samples.pointer.bindMemory(to: Int16.self, capacity: sampleCount)
        (row + width * 4).update(repeating: 0, count: horizontal.overhang * 4)

        let size = result.size
        try result.withRows(reading: self) { out, outBytesPerRow, source, sourceBytesPerRow in
            try vertical.values.withUnsafeBufferPointer { weights in
                guard let weights = weights.baseAddress else { return }
                for y in 0..<size.height {
                    if isCancelled() { throw CancellationError() }
                    halcyon_sum_rows(
                        source + Int(vertical.starts[y]) * sourceBytesPerRow,
                        sourceBytesPerRow,
                        weights + y * vertical.stride,
                        Int(vertical.counts[y]),
                        Int32(vertical.bits - fractionalBits),
                        row,
                        width * 4
                    )
                    halcyon_sum_pixels(
                        row,
                        horizontal.starts,
                        horizontal.values,
                        horizontal.stride,
                        Int32(horizontal.bits + fractionalBits),
                        out + y * outBytesPerRow,
                        size.width
                    )
                }
            }
        }
        withExtendedLifetime(samples) {}
    }
}
