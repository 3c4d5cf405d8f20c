internal import CHEIFShim
public import HalcyonCodecs

extension FormatCodecs {
    /// Reads HEIC (libheif, which is loaded when the first one is read): photographs of phones and cameras, coded as HEVC.
    public static let heic = FormatCodecs(decoders: [HEICDecoder()])
}

extension CodecLibrary {
    /// libheif, which this loads.
    package static var heif: CodecLibrary {
        CodecLibrary(
            name: "libheif",
            version: halcyon_heif_library().map { library in
                let number = library.pointee.heif_get_version_number()
                return Version(Int(number >> 24), Int(number >> 16 & 255))
            }
        )
    }
}

/// The functions of libheif. Only ``HEIFReader`` begins to use it, and is not created where it is not installed.
let libheif: HalcyonHEIFLibrary = {
    guard let library = halcyon_heif_library() else { preconditionFailure("libheif is used where it is not installed") }
    return library.pointee
}()
