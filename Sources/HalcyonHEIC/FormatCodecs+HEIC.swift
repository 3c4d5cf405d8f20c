internal import CHEIF
public import HalcyonCodecs

extension FormatCodecs {
    /// Reads HEIC (libheif): photographs of phones and cameras, coded as HEVC.
    public static let heic = FormatCodecs(decoders: [HEICDecoder()])
}

extension CodecLibrary {
    /// libheif.
    package static let heif = CodecLibrary(
        name: "libheif",
        version: Version(Int(heif_get_version_number() >> 24), Int(heif_get_version_number() >> 16 & 255))
    )
}
