extension ImageCodecs {
    /// Decoders of the formats that are traits of the package, as far as this build has them.
    static var traitDecoders: [any ImageDecoder] {
        var decoders: [any ImageDecoder] = []
        #if HEIC
        decoders.append(HEICDecoder())
        #endif
        #if TIFF
        decoders.append(TIFFDecoder())
        #endif
        #if JPEGXL
        decoders.append(JPEGXLDecoder())
        #endif
        #if SVG
        decoders.append(SVGDecoder())
        #endif
        #if Video
        // Last: files that are images by their signature are no videos.
        decoders += VideoDecoder.all as [any ImageDecoder]
        #endif
        return decoders
    }

    /// Encoders of these formats.
    static var traitEncoders: [any ImageEncoder] {
        var encoders: [any ImageEncoder] = []
        #if TIFF
        encoders.append(TIFFEncoder())
        #endif
        #if JPEGXL
        encoders.append(JPEGXLEncoder())
        #endif
        return encoders
    }
}
