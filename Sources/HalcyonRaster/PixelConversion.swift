internal import CRasterKernels

/// Conversions of one row between the layouts of files and that of ``Bitmap``, for decoders and encoders that work row
/// by row. Nothing needs to be aligned; `source` and `out` may be the same only where a pixel has 4 bytes in both.
package enum PixelConversion {
    /// Multiplies straight red, green, blue, alpha; returns whether every alpha was 255.
    package static func premultiply(
        _ source: UnsafePointer<UInt8>,
        into out: UnsafeMutablePointer<UInt8>,
        count: Int
    ) -> Bool {
        halcyon_premultiply(source, out, count)
    }

    /// Spreads brightness and straight alpha; returns whether every alpha was 255.
    package static func premultiply(
        grayAlpha source: UnsafePointer<UInt8>,
        into out: UnsafeMutablePointer<UInt8>,
        count: Int
    ) -> Bool {
        halcyon_premultiply_gray_alpha(source, out, count)
    }

    /// Adds alpha 255 to red, green, blue.
    package static func expand(
        rgb source: UnsafePointer<UInt8>,
        into out: UnsafeMutablePointer<UInt8>,
        count: Int
    ) {
        halcyon_expand_rgb(source, out, count)
    }

    /// Makes opaque pixels of brightness.
    package static func expand(
        gray source: UnsafePointer<UInt8>,
        into out: UnsafeMutablePointer<UInt8>,
        count: Int
    ) {
        halcyon_expand_gray(source, out, count)
    }

    /// Divides the colours by alpha, rounded to nearest; 0 where alpha is 0.
    package static func unpremultiply(
        _ source: UnsafePointer<UInt8>,
        into out: UnsafeMutablePointer<UInt8>,
        count: Int
    ) {
        halcyon_unpremultiply(source, out, count)
    }

    /// Puts premultiplied pixels over those that are there: source + out * (1 - source alpha).
    package static func composite(
        _ source: UnsafePointer<UInt8>,
        over out: UnsafeMutablePointer<UInt8>,
        count: Int
    ) {
        halcyon_source_over(source, out, count)
    }
}
