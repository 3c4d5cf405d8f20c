extension Bitmap {
    /// Returns the bytes that are taken while this image is made a part of one at another size, in addition to the image
    /// and the part: by weights, by the rows between the two passes, and by an image of means where a very long line is
    /// reduced; 0 where they are less than 4 MiB, as they are for sides of up to some 20,000 pixels.
    ///
    /// - Parameters:
    ///   - scaledSize: The size of the whole image, once scaled.
    ///   - part: A rectangle of the scaled image.
    ///   - filter: Default: Lanczos with three lobes.
    package func resamplingByteCount(
        to scaledSize: PixelSize,
        part: PixelRect,
        filter: ResamplingFilter = .lanczos3
    ) -> Int {
        guard scaledSize != size, filter != .nearest, scaledSize.isBitmapSize else { return 0 }
        let means = boxReducedSize(for: scaledSize, filter: filter)
        let source = means ?? size
        let meansByteCount = means.map { depth.bytesPerRow(width: $0.width) * $0.height + $0.width * 48 } ?? 0
        let weights = ResamplingWeights.byteCounts(source: source, scaledSize, part: part.size, filter: filter)
        // A row of 16 bits takes 16 bytes a pixel; of 8 bits there are four at 8.
        let byteCount = meansByteCount + weights.sum + weights.rowLength * (depth == .eight ? 32 : 16)
        return byteCount < 4 << 20 ? 0 : byteCount
    }

    /// Returns the bytes that making a part of this size in linear light takes beyond the image and the part: the rows
    /// that one row of the result is a sum of, weights, and means as for
    /// ``resamplingByteCount(to:part:filter:)``. The rows are many where an image becomes much lower than it is.
    package func linearLightByteCount(to scaledSize: PixelSize, part: PixelSize, filter: ResamplingFilter) -> Int {
        guard scaledSize != size, filter != .nearest, scaledSize.isBitmapSize else { return 0 }
        let means = boxReducedSize(for: scaledSize, filter: filter)
        let source = means ?? size
        // The result has 16 bits a sample at first.
        let meansByteCount =
            means.map {
                let wide = SampleDepth.sixteen
                return wide.bytesPerRow(width: $0.width) * $0.height + $0.width * 48
                    + wide.bytesPerRow(width: part.width) * part.height
            } ?? 0
        let weights = ResamplingWeights.byteCounts(source: source, scaledSize, part: part, filter: filter)
        let count = ExactResamplingWeights.greatestCount(
            source: source.height,
            destination: scaledSize.height,
            filter: filter
        )
        let width = min(
            part.width,
            ResamplingWeights.pieceLength(source: source.width, destination: scaledSize.width, filter: filter)
        )
        guard let rows = LightRows.byteCount(sourceWidth: weights.rowLength, width: width, count: count) else {
            return .max
        }
        let (sum, overflows) = rows.addingReportingOverflow(meansByteCount + weights.sum)
        return overflows ? .max : sum
    }
}

extension ResamplingWeights {
    /// Returns the bytes that the weights of both axes take, and the pixels of a row between the passes.
    fileprivate static func byteCounts(
        source: PixelSize,
        _ scaledSize: PixelSize,
        part: PixelSize,
        filter: ResamplingFilter
    ) -> (sum: Int, rowLength: Int) {
        let (width, height) = (scaledSize.width, scaledSize.height)
        let sum =
            byteCount(part.width, source: source.width, destination: width, filter: filter)
            + byteCount(part.height, source: source.height, destination: height, filter: filter)
        guard isLong(source: source.width, destination: width, filter: filter) else { return (sum, source.width) }
        let count = min(part.width, pieceLength(source: source.width, destination: width, filter: filter))
        let reach = ExactResamplingWeights.greatestCount(source: source.width, destination: width, filter: filter) + 2
        return (sum, min(source.width, count * source.width / width + reach))
    }
}

extension BitmapPass {
    /// Returns the bytes that the pass takes over a bitmap in addition to that and the result.
    package func workingByteCount(over bitmap: Bitmap) -> Int {
        bitmap.resamplingByteCount(to: scaledSize, part: part)
    }
}
