@_exported public import HalcyonCodecs
@_exported public import HalcyonHEIC
@_exported public import HalcyonJPEGXL
@_exported public import HalcyonSVG
@_exported public import HalcyonTIFF
@_exported public import HalcyonVideo

extension FormatCodecs {
    /// The codecs of all formats that have a product of their own: HEIC, JPEG XL, TIFF, SVG and videos.
    ///
    /// ```swift
    /// import Halcyon
    /// import HalcyonFormats
    ///
    /// ImageCodecs.register(.all)
    /// ```
    public static let all = FormatCodecs([heic, jpegXL, tiff, svg, video])
}
