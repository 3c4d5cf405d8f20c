internal import CJPEGXLShim
public import HalcyonCodecs

extension FormatCodecs {
    /// Reads and writes JPEG XL (libjxl, which is loaded when the first one is read or written).
    public static let jpegXL = FormatCodecs(decoders: [JPEGXLDecoder()], encoders: [JPEGXLEncoder()])
}

extension CodecLibrary {
    /// libjxl, which this loads.
    package static var jpegXL: CodecLibrary {
        CodecLibrary(
            name: "libjxl",
            version: halcyon_jpegxl_library().map { library in
                // 7,000 is 0.7.
                let number = Int(library.pointee.JxlDecoderVersion())
                return Version(number / 1_000_000, number / 1_000 % 1_000)
            }
        )
    }
}

/// The functions of libjxl. What begins to use it, ``JPEGXLStream``, ``JPEGXLWriter`` and transcoding, refuses to where it is
/// not installed.
let libjxl: HalcyonJPEGXLLibrary = {
    guard let library = halcyon_jpegxl_library() else {
        preconditionFailure("libjxl is used where it is not installed")
    }
    return library.pointee
}()
