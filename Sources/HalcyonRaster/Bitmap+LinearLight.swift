internal import CRasterKernels

extension Bitmap {
    /// Returns the image at another size, as ``resampled(to:filter:isCancelled:)`` does, in linear light: the samples
    /// are decoded from sRGB (IEC 61966-2-1), resampled in single precision, and encoded again.
    ///
    /// This is what a camera or an eye farther away would see: fine light and dark detail keeps its brightness, where
    /// sums of encoded samples darken it. Lanczos rings more around light detail on dark ground. Takes several times as
    /// long. Beyond the result, the memory taken is as many of its rows as the filter reaches over, and a row of the
    /// source, at 16 bytes a pixel. ``ResamplingFilter/nearest`` mixes nothing, and gives the same either way.
    ///
    /// - Parameters:
    ///   - size: width and height of the result; the shape may change.
    ///   - filter: the weighting of source pixels, Lanczos with three lobes by default.
    ///   - isCancelled: called before every row of the source that is read.
    /// - Throws: as ``resampled(to:filter:isCancelled:)`` does.
    public func resampledInLinearLight(
        to size: PixelSize,
        filter: ResamplingFilter = .lanczos3,
        isCancelled: () -> Bool = { false }
    ) throws -> Bitmap {
        try resampledInLinearLight(to: size, part: PixelRect(size: size), filter: filter, isCancelled: isCancelled)
    }

    /// Returns a part of what ``resampledInLinearLight(to:filter:isCancelled:)`` returns, without making the rest.
    ///
    /// - Parameter part: A rectangle of the scaled image, not empty and within it.
    /// - Throws: As that does, for the whole size.
    package func resampledInLinearLight(
        to scaledSize: PixelSize,
        part: PixelRect,
        filter: ResamplingFilter = .lanczos3,
        isCancelled: () -> Bool = { false }
    ) throws -> Bitmap {
        guard scaledSize != self.size, filter != .nearest, scaledSize.isBitmapSize else {
            return try resampled(to: scaledSize, part: part, filter: filter, isCancelled: isCancelled)
        }
        if let means = boxReducedSize(for: scaledSize, filter: filter) {
            return try reducedByBoxes(to: means, isInLinearLight: true, isCancelled: isCancelled)
                .resampledInLinearLight(to: scaledSize, part: part, filter: filter, isCancelled: isCancelled)
                .converted(to: depth)
        }
        var result = try Bitmap(uninitialized: part.size, isOpaque: isOpaque, depth: depth)
        // As for encoded samples, what takes large tables of weights is made tile after tile.
        let height = ResamplingWeights.pieceLength(source: height, destination: scaledSize.height, filter: filter)
        let width = ResamplingWeights.pieceLength(source: width, destination: scaledSize.width, filter: filter)
        let window = ResamplingWindow(scaledSize: scaledSize, origin: part.origin)
        for y in stride(from: 0, to: part.size.height, by: height) {
            for x in stride(from: 0, to: part.size.width, by: width) {
                let size = PixelSize(min(width, part.size.width - x), min(height, part.size.height - y))
                let tile = PixelRect(origin: PixelPoint(x, y), size: size)
                try resampleLight(to: window, tile, of: &result, filter: filter, isCancelled: isCancelled)
            }
        }
        return result
    }

    private func resampleLight(
        to window: ResamplingWindow,
        _ tile: PixelRect,
        of result: inout Bitmap,
        filter: ResamplingFilter,
        isCancelled: () -> Bool
    ) throws {
        let (scaledSize, size, origin) = (window.scaledSize, tile.size, window.origin(of: tile))
        let columns = ExactResamplingWeights(
            source: width,
            destination: scaledSize.width,
            part: origin.x..<(origin.x + size.width),
            filter: filter,
            edges: partialEdges.horizontal,
            isLong: ResamplingWeights.isLong(source: width, destination: scaledSize.width, filter: filter)
        )
        let rows = ExactResamplingWeights(
            source: height,
            destination: scaledSize.height,
            part: origin.y..<(origin.y + size.height),
            filter: filter,
            edges: partialEdges.vertical,
            isLong: ResamplingWeights.isLong(source: height, destination: scaledSize.height, filter: filter)
        )
        let (columnWeights, rowWeights) = (columns.values.map(Float.init), rows.values.map(Float.init))
        // Neither starts nor ends ever decrease.
        let last = size.width - 1
        let read = Int(columns.starts[0])..<Int(columns.starts[last] + columns.counts[last])
        let starts = columns.starts.map { $0 - columns.starts[0] }
        let light = try LightRows(sourceWidth: read.count, width: size.width, count: rows.stride)
        try result.withRows(reading: self) { out, outBytesPerRow, source, sourceBytesPerRow in
            let out = out + tile.origin.y * outBytesPerRow + tile.origin.x * bytesPerPixel
            var readCount = 0
            for y in 0..<size.height {
                let (start, count) = (Int(rows.starts[y]), Int(rows.counts[y]))
                // What no later row needs is skipped: with a box, rows can lie between those of two results.
                readCount = max(readCount, start)
                while readCount < start + count {
                    if isCancelled() { throw CancellationError() }
                    let pixels = source + readCount * sourceBytesPerRow + read.lowerBound * bytesPerPixel
                    depth.decodeLight(pixels, light.source, read.count)
                    halcyon_sum_light_pixels(
                        light.source,
                        starts,
                        columns.counts,
                        columnWeights,
                        columns.stride,
                        light.row(readCount),
                        size.width
                    )
                    readCount += 1
                }
                if isCancelled() { throw CancellationError() }
                let summed = (start..<(start + count)).map { UnsafePointer(light.row($0)) }
                let weights = Array(rowWeights[(y * rows.stride)..<(y * rows.stride + count)])
                halcyon_sum_light_rows(summed, weights, count, light.result, size.width * 4)
                depth.encodeLight(light.result, out + y * outBytesPerRow, size.width)
            }
        }
        withExtendedLifetime(light) {}
    }
}
