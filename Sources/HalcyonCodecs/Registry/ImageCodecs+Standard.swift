extension ImageCodecs {
    /// The codecs of this build.
    public static let standard = ImageCodecs(
        decoders: [
            JPEGDecoder(),
            PNGDecoder(),
            WebPDecoder(),
            GIFDecoder(),
            AVIFDecoder(),
            BMPDecoder(),
            ICODecoder(),
            CURDecoder(),
            QOIDecoder(),
        ] + traitDecoders,
        encoders: [
            JPEGEncoder(),
            PNGEncoder(),
            WebPEncoder(),
            GIFEncoder(),
            AVIFEncoder(),
            PAMEncoder(),
            BMPEncoder(),
            QOIEncoder(),
        ] + traitEncoders
    )
}
