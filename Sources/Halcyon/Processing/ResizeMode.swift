internal import HalcyonRaster

/// How an image is brought to a size with another ratio of its sides.
public enum ResizeMode: String, Sendable, Hashable, CaseIterable {
    /// The whole image, as large as fits; one side may be shorter than asked for.
    case fit
    /// The whole area; what protrudes at two sides is cut off.
    case fill
    /// Exactly this size; the ratio of the sides is not kept.
    case stretch

    /// The size the whole image is scaled to, before anything is cut off: each side at least 1 pixel.
    ///
    /// - Parameter enlarges: Whether it may be larger than the image.
    func resultSize(of size: PixelSize, in target: PixelSize, enlarges: Bool) -> PixelSize {
        switch self {
        case .fit, .fill:
            let result = self == .fit ? size.fitting(in: target) : size.filling(target)
            return !enlarges && result.width >= size.width ? size : result
        case .stretch:
            return enlarges ? target : PixelSize(min(target.width, size.width), min(target.height, size.height))
        }
    }
}
