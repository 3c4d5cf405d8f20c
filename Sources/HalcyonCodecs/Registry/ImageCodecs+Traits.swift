extension ImageCodecs {
    /// Decoders of the formats that are traits of the package, as far as this build has them.
    static var traitDecoders: [any ImageDecoder] {
        var decoders: [any ImageDecoder] = []
        #if TIFF
        decoders.append(TIFFDecoder())
        #endif
        #if JPEGXL
        decoders.append(JPEGXLDecoder())
        #endif
        #if SVG
        decoders.append(SVGDecoder())
        #endif
        return decoders
    }
}
