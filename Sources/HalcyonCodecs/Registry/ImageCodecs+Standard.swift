extension ImageCodecs {
    /// The codecs of this build.
    public static let standard = ImageCodecs(
        decoders: [
            JPEGDecoder(),
            PNGDecoder(),
            WebPDecoder(),
            GIFDecoder(),
            BMPDecoder(),
            ICODecoder(),
            CURDecoder(),
            QOIDecoder(),
        ],
        encoders: [
            JPEGEncoder(),
            PNGEncoder(),
            WebPEncoder(),
            GIFEncoder(),
            PAMEncoder(),
            BMPEncoder(),
            QOIEncoder(),
        ]
    )
}
