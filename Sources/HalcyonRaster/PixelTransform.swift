internal import CRasterKernels

/// An affine change of premultiplied pixels: a matrix of 4 × 4 and a sum, in one pass.
///
/// Affine changes of *straight* colours are among them, without a division by alpha: what is added to a colour is added
/// alpha times to its product with alpha.
struct PixelTransform {
    /// The contributions of red, green, blue and alpha.
    var columns: [SIMD4<Double>]
    /// What is added, where the largest sample is 1.
    var offset: SIMD4<Double>

    /// The change of straight colours by an adjustment; alpha stays.
    init(_ adjustment: ColorAdjustment) {
        let (red, green, blue, offset) = (adjustment.red, adjustment.green, adjustment.blue, adjustment.offset)
        columns = (0..<3).map { SIMD4(red[$0], green[$0], blue[$0], 0) } + [SIMD4(offset, 1)]
        self.offset = .zero
    }

    /// The way from an image, at fraction 1, to a colour in the image's shape, at fraction 0.
    init(overlay color: Color, fraction: Double) {
        func limited(_ value: Double) -> Double { value > 0 ? min(value, 1) : 0 }
        let (fraction, alpha) = (limited(fraction), limited(color.alpha))
        let premultiplied = SIMD4(
            limited(color.red) * alpha,
            limited(color.green) * alpha,
            limited(color.blue) * alpha,
            alpha
        )
        columns = (0..<4).map { index in
            var column = SIMD4<Double>.zero
            column[index] = fraction
            return column
        }
        columns[3] += premultiplied * (1 - fraction)
        offset = .zero
    }

    /// Returns a function that changes pixels of a depth.
    func kernel(depth: SampleDepth) -> (UnsafePointer<UInt8>, UnsafeMutablePointer<UInt8>, Int) -> Void {
        let largest: Double = depth == .eight ? 255 : 65_535
        let values = (columns + [offset * largest]).flatMap { column in
            (0..<4).map { ColorAdjustment.limited(column[$0]) }
        }
        return switch depth {
        case .eight: { halcyon_transform_pixels($0, $1, $2, values) }
        case .sixteen: { halcyon_transform_pixels_16($0, $1, $2, values) }
        }
    }
}
