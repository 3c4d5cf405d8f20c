internal import CRasterKernels

extension Bitmap {
    /// Returns the image sharpened by an unsharp mask: `amount` times the difference between each colour and that of
    /// the blurred image is added to it where the difference is greater than `threshold`.
    ///
    /// Works in the encoding of the samples (sRGB). Alpha stays as it is, and transparent pixels have no part in the
    /// blurred colours: the edge of a shape gets no seam. Where the image is opaque, this is the unsharp mask of
    /// ImageMagick and Pillow. An even area stays exactly as it is.
    ///
    /// Beyond the result, the memory taken is one bitmap of 16 bits a sample.
    ///
    /// - Parameters:
    ///   - radius: the standard deviation of the blur, in pixels, as for ``blurred(radius:isCancelled:)``. 0, less, or
    ///     NaN: the same bitmap, at no cost.
    ///   - amount: the part of the difference that is added. 0 or NaN: the same bitmap. Negative amounts soften.
    ///   - threshold: the difference that is left alone, from 0 to 1, in parts of the largest sample. Default: 0. NaN
    ///     counts as 0.
    ///   - isCancelled: called at least every 64 rows of 512 pixels.
    /// - Throws: `CancellationError` when `isCancelled` returns `true`; ``BitmapError/outOfMemory(byteCount:)``.
    public func sharpened(
        radius: Double,
        amount: Double,
        threshold: Double = 0,
        isCancelled: () -> Bool = { false }
    ) throws -> Bitmap {
        guard radius > 0, amount < 0 || amount > 0,
            let blur = GaussianBlur(standardDeviation: min(radius, 1_000))
        else { return self }
        // Beyond that, every difference reaches black or white; the product with 0 stays a number.
        let amount = Float(min(max(amount, -1e6), 1e6))
        let threshold = threshold > 0 ? Float(min(threshold, 1)) : 0
        // Eight bits would not be enough for differences that are multiplied.
        var blurred = try Bitmap(uninitialized: size, isOpaque: isOpaque, depth: .sixteen)
        try blur.apply(to: self, into: &blurred, isCancelled: isCancelled)
        var result = try Bitmap(uninitialized: size, isOpaque: isOpaque, depth: depth)
        try blurred.withRows { blurred, blurredBytesPerRow in
            try result.withRows(reading: self) { out, outBytesPerRow, source, sourceBytesPerRow in
                for y in 0..<height {
                    if y % 16 == 0, isCancelled() { throw CancellationError() }
                    let row = source + y * sourceBytesPerRow
                    let mean = blurred + y * blurredBytesPerRow
                    let pixels = out + y * outBytesPerRow
                    switch depth {
                    case .eight: halcyon_sharpen(row, mean, amount, threshold, pixels, width)
                    case .sixteen: halcyon_sharpen_16(row, mean, amount, threshold, pixels, width)
                    }
                }
            }
        }
        return result
    }
}
