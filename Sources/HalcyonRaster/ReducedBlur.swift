internal import CRasterKernels

/// A blur by a wide Gaussian: the image is reduced by a whole factor with a triangle, blurred, and enlarged with cubic
/// B-splines. What these two blur as well is left out of the Gaussian between them: variances add up.
///
/// The triangle has zeros of second order at all frequencies that the reduction would turn into low ones, the spline of
/// fourth order at those that the enlargement would add; the Gaussian takes what is left of both.
struct ReducedBlur {
    /// The least standard deviation of the Gaussian between reduction and enlargement, in reduced pixels. Below, a
    /// checkerboard shows what the reduction has aliased: 51 dB at 1.8, 53 dB at 2.2.
    private static let leastStandardDeviation = 2.2
    /// With a greater one, the sums of samples of 8 bits would not fit 16.
    private static let greatestFactor = 16

    /// The number of pixels that become one, along each axis.
    let factor: Int
    /// The standard deviation of the Gaussian that is left, in reduced pixels.
    let standardDeviation: Double

    /// Creates the blur with the greatest factor that is exact enough; `nil` where there is none.
    init?(standardDeviation: Double) {
        let least = Self.leastStandardDeviation
        let factor = (2...Self.greatestFactor).last { Self.remainingVariance(standardDeviation, $0) >= least * least }
        guard let factor else { return nil }
        self.factor = factor
        self.standardDeviation = Self.remainingVariance(standardDeviation, factor).squareRoot()
    }

    /// The triangle has the variance (f² − 1) / 6, the spline f² / 3.
    private static func remainingVariance(_ standardDeviation: Double, _ factor: Int) -> Double {
        let square = Double(factor * factor)
        return (standardDeviation * standardDeviation - (square - 1) / 6) / square - 1.0 / 3
    }

    /// Writes `source`, blurred, to all pixels of `result`; the depths are as for ``GaussianBlur``.
    func apply(to source: Bitmap, into result: inout Bitmap, isCancelled: () -> Bool) throws {
        let reduced = try source.reducedByTriangle(factor: factor, isCancelled: isCancelled)
        guard let blur = GaussianBlur(standardDeviation: standardDeviation) else {
            preconditionFailure("a Gaussian of \(standardDeviation) pixels changes an image")
        }
        var blurred = try Bitmap(uninitialized: reduced.size, isOpaque: false, depth: .sixteen)
        try blur.apply(to: reduced, into: &blurred, isCancelled: isCancelled)
        try blurred.enlargeBySpline(factor: factor, into: &result, isCancelled: isCancelled)
    }
}
