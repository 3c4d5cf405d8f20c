internal import CSVGShim
public import HalcyonCodecs

extension FormatCodecs {
    /// Draws SVG (librsvg, which is loaded when the first drawing is read).
    public static let svg = FormatCodecs(decoders: [SVGDecoder()])
}

extension CodecLibrary {
    /// librsvg, which this loads.
    package static var rsvg: CodecLibrary {
        CodecLibrary(
            name: "librsvg",
            version: halcyon_svg_library().map { library in
                Version(Int(library.pointee.major_version), Int(library.pointee.minor_version))
            }
        )
    }
}
