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
        let size = part.size
        var result = try Bitmap(uninitialized: size, isOpaque: isOpaque, depth: depth)
        let columns = ExactResamplingWeights(
            source: width,
            destination: scaledSize.width,
            part: part.origin.x..<(part.origin.x + size.width),
            filter: filter
        )
        let rows = ExactResamplingWeights(
            source: height,
            destination: scaledSize.height,
            part: part.origin.y..<(part.origin.y + size.height),
            filter: filter
        )
        let (columnWeights, rowWeights) = (columns.values.map(Float.init), rows.values.map(Float.init))
        let light = try LightRows(sourceWidth: width, width: size.width, count: rows.stride)
        try result.withRows(reading: self) { out, outBytesPerRow, source, sourceBytesPerRow in
            var readCount = 0
            for y in 0..<size.height {
                let (start, count) = (Int(rows.starts[y]), Int(rows.counts[y]))
                // What no later row needs is skipped: with a box, rows can lie between those of two results.
                readCount = max(readCount, start)
                while readCount < start + count {
                    if isCancelled() { throw CancellationError() }
                    depth.decodeLight(source + readCount * sourceBytesPerRow, light.source, width)
                    halcyon_sum_light_pixels(
                        light.source,
                        columns.starts,
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
        return result
    }

    /// Returns the bytes that making a part of this size in linear light takes beyond the image and the part: the rows
    /// that one row of the result is a sum of. They are many where an image becomes much lower than it is.
    package func linearLightByteCount(to scaledSize: PixelSize, part: PixelSize, filter: ResamplingFilter) -> Int {
        guard scaledSize != size, filter != .nearest, scaledSize.isBitmapSize else { return 0 }
        let count = ExactResamplingWeights.greatestCount(source: height, destination: scaledSize.height, filter: filter)
        return LightRows.byteCount(sourceWidth: width, width: part.width, count: count) ?? .max
    }
}
