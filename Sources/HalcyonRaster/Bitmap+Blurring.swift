internal import CRasterKernels

extension Bitmap {
    /// Returns the image blurred by a Gaussian.
    ///
    /// Works on premultiplied samples, so that the colour of transparent pixels does not bleed into visible ones, and
    /// in the encoding of the samples (sRGB), as is customary. Beyond the edges, the pixels at the edge go on for ever
    /// ("extend"). An even area stays exactly as it is, an opaque image opaque. The result differs from the Gaussian
    /// computed exactly by 50 dB (PSNR) or better, whatever the image.
    ///
    /// Takes two sums for each pixel whose length grows with the radius, up to a radius of 4.6; above, the image is
    /// reduced before it is blurred, and the time falls as the radius grows.
    ///
    /// - Parameters:
    ///   - radius: the standard deviation of the Gaussian, in pixels, as for the `blur()` of CSS (Filter Effects
    ///     Module Level 1, § 7). At most 1,000; more counts as that. 0, less, or NaN: the same bitmap, at no cost.
    ///   - isCancelled: called at least every 64 rows of 512 pixels.
    /// - Throws: `CancellationError` when `isCancelled` returns `true`; ``BitmapError/outOfMemory(byteCount:)``.
    public func blurred(radius: Double, isCancelled: () -> Bool = { false }) throws -> Bitmap {
        guard radius > 0, let blur = GaussianBlur(standardDeviation: min(radius, 1_000)) else { return self }
        var result = try Bitmap(uninitialized: size, isOpaque: isOpaque, depth: depth)
        try blur.apply(to: self, into: &result, isCancelled: isCancelled)
        return result
    }
}

/// A way to blur by a Gaussian.
enum GaussianBlur {
    /// Sums over the neighbours of each pixel.
    case direct(GaussianWeights)
    /// A Gaussian over a reduced image, which is enlarged again.
    case reduced(ReducedBlur)

    /// Returns the faster way that is exact enough; `nil` for a Gaussian that changes nothing.
    init?(standardDeviation: Double) {
        if let reduced = ReducedBlur(standardDeviation: standardDeviation) {
            self = .reduced(reduced)
        } else if let weights = GaussianWeights(standardDeviation: standardDeviation) {
            self = .direct(weights)
        } else {
            return nil
        }
    }

    /// Writes `source`, blurred, to all pixels of `result`, which has its size.
    ///
    /// The depths may differ in one way: a result of 16 bits of a source of 8 has its samples multiplied by 256.
    func apply(to source: Bitmap, into result: inout Bitmap, isCancelled: () -> Bool) throws {
        switch self {
        case .direct(let weights): try source.sumNeighbors(weights, into: &result, isCancelled: isCancelled)
        case .reduced(let blur): try blur.apply(to: source, into: &result, isCancelled: isCancelled)
        }
    }
}
