extension ImageCodecs {
    /// The codecs of this build.
    public static let standard = ImageCodecs(
        decoders: [
            JPEGDecoder(),
            PNGDecoder(),
            WebPDecoder(),
            GIFDecoder(),
            AVIFDecoder(),
        ],
        encoders: [
            JPEGEncoder(),
            PNGEncoder(),
            WebPEncoder(),
            GIFEncoder(),
            PAMEncoder(),
        ]
    )
}
