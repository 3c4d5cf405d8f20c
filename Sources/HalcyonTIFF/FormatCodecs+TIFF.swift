public import HalcyonCodecs

extension FormatCodecs {
    /// Reads and writes TIFF (libtiff).
    public static let tiff = FormatCodecs(decoders: [TIFFDecoder()], encoders: [TIFFEncoder()])
}
