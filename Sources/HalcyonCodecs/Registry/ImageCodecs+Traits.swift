extension ImageCodecs {
    /// Decoders of the formats whose libraries are optional.
    static var traitDecoders: [any ImageDecoder] {
        var decoders: [any ImageDecoder] = []
        #if HEIC
        decoders.append(HEICDecoder())
        #endif
        return decoders
    }
}
