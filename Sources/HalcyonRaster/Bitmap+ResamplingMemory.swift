extension Bitmap {
    /// Returns the bytes that the weights take while this image is made a part of one at another size, in addition to
    /// the image and the part; 0 where they are less than 4 MiB, as they are for sides of up to some 20,000 pixels.
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
        let columns = part.origin.x..<(part.origin.x + part.size.width)
        let rows = part.origin.y..<(part.origin.y + part.size.height)
        let byteCount =
            ResamplingWeights.byteCount(source: width, destination: scaledSize.width, part: columns, filter: filter)
            + ResamplingWeights.byteCount(source: height, destination: scaledSize.height, part: rows, filter: filter)
        return byteCount < 4 << 20 ? 0 : byteCount
    }
}

extension ResamplingWeights {
    /// Returns the bytes that weights take while they are made: 10 for each, which is first exact and then a whole
    /// number, and 12 for each destination pixel. Those made of them for 16 bits come later, and take no more.
    fileprivate static func byteCount(
        source: Int,
        destination: Int,
        part: Range<Int>,
        filter: ResamplingFilter
    ) -> Int {
        let count = ExactResamplingWeights.greatestCount(source: source, destination: destination, filter: filter)
        // At most 2^26 of each, so that the product is within 64 bits; one more weight where they are taken by pairs.
        return Self.part(part, of: destination).count * ((count + 1) * 10 + 12)
    }
}

extension BitmapPass {
    /// Returns the bytes that the pass takes over a bitmap in addition to that and the result.
    package func workingByteCount(over bitmap: Bitmap) -> Int {
        bitmap.resamplingByteCount(to: scaledSize, part: part)
    }
}
