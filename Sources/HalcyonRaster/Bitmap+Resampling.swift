internal import CRasterKernels

extension Bitmap {
    /// Returns the image at another size.
    ///
    /// Works on premultiplied samples, so that the colour of transparent pixels does not bleed into visible ones, and
    /// in the encoding of the samples (sRGB), as is customary. An even area stays exactly as it is, an opaque image
    /// opaque. Beyond the result, the memory taken is four rows of the source at twice its depth, and the weights of each
    /// row and column; less where the source or the result is a very long line. The same size gives the same bitmap at no cost.
    ///
    /// - Parameters:
    ///   - size: width and height of the result; the shape may change.
    ///   - filter: the weighting of source pixels, Lanczos with three lobes by default.
    ///   - isCancelled: called before every row of the result.
    /// - Throws: `CancellationError` when `isCancelled` returns `true`; ``BitmapError/invalidSize(_:)`` or
    ///   ``BitmapError/outOfMemory(byteCount:)`` as for any new bitmap.
    public func resampled(
        to size: PixelSize,
        filter: ResamplingFilter = .lanczos3,
        isCancelled: () -> Bool = { false }
    ) throws -> Bitmap {
        try resampled(to: size, part: PixelRect(size: size), filter: filter, isCancelled: isCancelled)
    }

    /// Returns a part of what ``resampled(to:filter:isCancelled:)`` returns, without making the rest of it.
    ///
    /// - Parameter part: A rectangle of the scaled image, not empty and within it.
    /// - Throws: As that does, for the whole size.
    package func resampled(
        to size: PixelSize,
        part: PixelRect,
        filter: ResamplingFilter = .lanczos3,
        isCancelled: () -> Bool = { false }
    ) throws -> Bitmap {
        guard size.isBitmapSize else { throw BitmapError.invalidSize(size) }
        guard size != self.size else { return try cropped(to: part, isCancelled: isCancelled) }
        var result = try Bitmap(uninitialized: part.size, isOpaque: isOpaque, depth: depth)
        let window = ResamplingWindow(scaledSize: size, origin: part.origin)
        if filter == .nearest {
            try pickNearest(to: window, into: &result, isCancelled: isCancelled)
        } else {
            try resample(to: window, into: &result, filter: filter, isCancelled: isCancelled)
        }
        return result
    }

    /// Makes a part of the image at another size, with any filter but ``ResamplingFilter/nearest``.
    ///
    /// What takes large tables of weights, as a line of millions of pixels does, is made tile after tile.
    func resample(
        to window: ResamplingWindow,
        into result: inout Bitmap,
        filter: ResamplingFilter,
        isCancelled: () -> Bool
    ) throws {
        if let reducedSize = boxReducedSize(for: window.scaledSize, filter: filter) {
            let reduced = try reducedByBoxes(to: reducedSize, isInLinearLight: false, isCancelled: isCancelled)
            return try reduced.resample(to: window, into: &result, filter: filter, isCancelled: isCancelled)
        }
        let scaledSize = window.scaledSize
        let height = ResamplingWeights.pieceLength(source: height, destination: scaledSize.height, filter: filter)
        let width = ResamplingWeights.pieceLength(source: width, destination: scaledSize.width, filter: filter)
        for y in stride(from: 0, to: result.height, by: height) {
            let rows = y..<min(y + height, result.height)
            for x in stride(from: 0, to: result.width, by: width) {
                let tile = PixelRect(x: x, y: y, width: min(width, result.width - x), height: rows.count)
                var part = window
                if tile.size.width < result.width { part.finish = { _, _ in } }
                switch depth {
                case .eight:
                    try resampleEight(to: part, tile, of: &result, filter: filter, isCancelled: isCancelled)
                case .sixteen:
                    try resampleSixteen(to: part, tile, of: &result, filter: filter, isCancelled: isCancelled)
                }
            }
            guard width < result.width else { continue }
            result.withMutableRows { out, bytesPerRow in
                for y in rows { window.finish(out + y * bytesPerRow, y) }
            }
        }
    }

    private func pickNearest(
        to window: ResamplingWindow,
        into result: inout Bitmap,
        isCancelled: () -> Bool
    ) throws {
        let (scaled, origin) = (window.scaledSize, window.origin)
        // The middle of a destination pixel lies in source pixel (2o + 1) * source / (2 * destination).
        let size = result.size
        try result.withRows(reading: self) { out, outBytesPerRow, source, sourceBytesPerRow in
            // Rows that are longer are made in pieces, so that the table of columns stays small.
            for left in stride(from: 0, to: size.width, by: 65_536) {
                let pixels = (origin.x + left)..<(origin.x + min(left + 65_536, size.width))
                let columns = pixels.map { Int32((2 * $0 + 1) * width / (2 * scaled.width)) }
                for y in 0..<size.height {
                    if isCancelled() { throw CancellationError() }
                    let row = (2 * (origin.y + y) + 1) * height / (2 * scaled.height)
                    depth.gather(
                        source + row * sourceBytesPerRow,
                        columns,
                        out + y * outBytesPerRow + left * bytesPerPixel,
                        columns.count
                    )
                }
            }
        }
    }

    /// Resamples down the columns first, then along the rows that this gives, four at a time: few intermediate rows are
    /// needed, and the pass that touches all source pixels is the one that reads them in order.
    ///
    /// - Parameter tile: The part of the result that is made.
    private func resampleEight(
        to window: ResamplingWindow,
        _ tile: PixelRect,
        of result: inout Bitmap,
        filter: ResamplingFilter,
        isCancelled: () -> Bool
    ) throws {
        // 255 * 1.9 * 2^21 fits 32 bits, where 1.9 is more than the sum of the absolute weights of any filter here;
        // so does 255 * 1.9 * 2^6 * 2^15. The rows between the passes are woven by pairs of pixels, which the horizontal
        // sums take whole.
        let (vertical, horizontal) = ResamplingWeights.cached(
            source: self,
            window: window,
            part: tile,
            filter: filter,
            bits: (vertical: 21, horizontal: 15),
            takesPairs: true
        )
        let fractionalBits = 6
        let rowsPerGroup = 4
        let pairSize = Int(HALCYON_WOVEN_PAIR)
        let (size, origin) = (tile.size, window.origin(of: tile))
        // The columns of the source that the tile needs; the first is even, as all starts are.
        let columns = horizontal.columns(for: origin.x..<(origin.x + size.width), in: width)
        let row = horizontal.row(for: columns, in: width)
        let sampleCount = (row.length + 1) / 2 * pairSize
        let samples = try PixelBuffer(byteCount: sampleCount * 2)
        let rows = samples.pointer.bindMemory(to: Int16.self, capacity: sampleCount)
        // Samples that only weights of zero meet: beyond the last pixel, and in rows that a short last group lacks.
        rows.update(repeating: 0, count: sampleCount)

        try result.withRows(reading: self) { out, outBytesPerRow, source, sourceBytesPerRow in
            let source = source + columns.lowerBound * bytesPerPixel
            let out = out + tile.origin.y * outBytesPerRow + tile.origin.x * bytesPerPixel
            let firstSample = (columns.lowerBound - row.origin) / 2 * pairSize
            try vertical.values.withUnsafeBufferPointer { weights in
                guard let weights = weights.baseAddress else { return }
                for top in stride(from: 0, to: size.height, by: rowsPerGroup) {
                    let rowCount = min(rowsPerGroup, size.height - top)
                    for line in 0..<rowCount {
                        if isCancelled() { throw CancellationError() }
                        let y = origin.y + top + line - vertical.part.lowerBound
                        halcyon_sum_rows(
                            source + Int(vertical.starts[y]) * sourceBytesPerRow,
                            sourceBytesPerRow,
                            weights + y * vertical.stride,
                            Int(vertical.counts[y]),
                            Int32(vertical.bits - fractionalBits),
                            rows + firstSample + line * (pairSize / rowsPerGroup),
                            columns.count
                        )
                    }
                    horizontal.withWeights(from: origin.x, starts: row.starts) { starts, weights in
                        halcyon_sum_pixels(
                            rows,
                            starts,
                            weights,
                            horizontal.stride,
                            Int32(horizontal.bits + fractionalBits),
                            out + top * outBytesPerRow,
                            outBytesPerRow,
                            rowCount,
                            size.width
                        )
                    }
                    for y in top..<(top + rowCount) {
                        window.finish(out + y * outBytesPerRow, tile.origin.y + y)
                    }
                }
            }
        }
        withExtendedLifetime(samples) {}
    }
}
