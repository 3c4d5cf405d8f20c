internal import CJPEGXL
public import HalcyonCodecs

extension FormatCodecs {
    /// Reads and writes JPEG XL (libjxl).
    public static let jpegXL = FormatCodecs(decoders: [JPEGXLDecoder()], encoders: [JPEGXLEncoder()])
}

extension CodecLibrary {
    /// libjxl, whose number 7,000 is 0.7.
    package static let jpegXL = CodecLibrary(
        name: "libjxl",
        version: Version(Int(JxlDecoderVersion()) / 1_000_000, Int(JxlDecoderVersion()) / 1_000 % 1_000)
    )
}
