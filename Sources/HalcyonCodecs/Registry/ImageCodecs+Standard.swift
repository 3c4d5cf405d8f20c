extension ImageCodecs {
    /// The codecs of this build.
    public static let standard = ImageCodecs(
        decoders: [
            JPEGDecoder(),
            PNGDecoder(),
            WebPDecoder(),
            GIFDecoder(),
        ] + traitDecoders,
        encoders: [
            JPEGEncoder(),
            PNGEncoder(),
            WebPEncoder(),
            GIFEncoder(),
            PAMEncoder(),
        ] + traitEncoders
    )
}
