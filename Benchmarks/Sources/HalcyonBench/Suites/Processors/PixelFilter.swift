internal import HalcyonRaster

/// A filter with a radius.
enum PixelFilter: String, Hashable {
    /// A Gaussian blur, the radius being its standard deviation.
    case blur
    /// An unsharp mask that adds the whole difference.
    case sharpen

    func apply(to bitmap: Bitmap, radius: Double) throws -> Bitmap {
        switch self {
        case .blur: try bitmap.blurred(radius: radius)
        case .sharpen: try bitmap.sharpened(radius: radius, amount: 1)
        }
    }
}
