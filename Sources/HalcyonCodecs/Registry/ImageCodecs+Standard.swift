extension ImageCodecs {
    /// The codecs of this build.
    public static let standard = ImageCodecs(
        decoders: [
            JPEGDecoder(),
            WebPDecoder(),
        ],
        encoders: [
            JPEGEncoder(),
            WebPEncoder(),
            PAMEncoder(),
        ]
    )
}
