/// The product of the package that reads a format, for those that the core does not read.
struct FormatProduct {
    let name: String
    /// The property of ``FormatCodecs``.
    let codecs: String
    var hasEncoder = false
}

extension ImageFormat {
    /// The product that reads this format; `nil` for those of the core, and for formats that none reads.
    var product: FormatProduct? {
        switch self {
        case .heic, .heif: FormatProduct(name: "HalcyonHEIC", codecs: "heic")
        case .jxl: FormatProduct(name: "HalcyonJPEGXL", codecs: "jpegXL", hasEncoder: true)
        case .tiff: FormatProduct(name: "HalcyonTIFF", codecs: "tiff", hasEncoder: true)
        case .svg: FormatProduct(name: "HalcyonSVG", codecs: "svg")
        case _ where isVideo: FormatProduct(name: "HalcyonVideo", codecs: "video")
        default: nil
        }
    }
}
