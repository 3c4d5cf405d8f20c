/// A change of colours that makes each pixel of an image of that pixel alone.
package enum ColorChange: Hashable, Sendable {
    /// The components are adjusted; alpha stays.
    case adjustment(ColorAdjustment, ColorAdjustment.WorkingSpace)
    /// The image is mixed with a colour that has its shape; see ``Bitmap/overlaid(with:fraction:isCancelled:)``.
    case overlay(Color, fraction: Double)
    /// A colour, the source, is put over every pixel; see ``Bitmap/blended(with:mode:opacity:isCancelled:)``.
    case tint(Color, mode: BlendMode, opacity: Double = 1)
    /// The image, the source, is put over a colour; see ``Bitmap/blended(over:mode:opacity:isCancelled:)``.
    case background(Color, mode: BlendMode, opacity: Double)
}
