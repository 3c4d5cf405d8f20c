internal import HalcyonRaster

/// The rule for a size whose sides have another ratio than those of the image.
public enum ResizeMode: String, Sendable, Hashable, CaseIterable {
    /// The whole image, as large as fits; one side may be shorter than requested.
    case fit
    /// The whole area; the parts that extend beyond it at two sides are cut off.
    case fill
    /// Exactly this size; the ratio of the sides is not kept.
    case stretch

    /// Returns the size that the whole image is scaled to, before anything is cut off: each side at least 1 pixel.
    ///
    /// - Parameter enlarges: A Boolean value that indicates whether the size may be larger than the image.
    func resultSize(of size: PixelSize, in target: PixelSize, enlarges: Bool) -> PixelSize {
        switch self {
        case .fit, .fill:
            let result = self == .fit ? size.fitting(in: target) : size.filling(target)
            // By both sides: one that is rounded up to its pixel says nothing, as the width of a 1×1,000 image.
            let isSmaller = result.width < size.width || result.height < size.height
            return enlarges || isSmaller ? result : size
        case .stretch:
            return enlarges ? target : PixelSize(min(target.width, size.width), min(target.height, size.height))
        }
    }
}
