internal import HalcyonSystem

extension ImageCodecs {
    /// The codecs of JPEG, PNG, WebP, GIF, AVIF, BMP, ICO and QOI, and those of the formats that are registered at the
    /// moment of their use.
    ///
    /// A pipeline with these codecs, such as `ImagePipeline.shared`, reads a format from its registration on, whichever came
    /// first.
    public static let standard = ImageCodecs(ofStandard: true)

    /// The same without formats that are registered.
    package static let core = ImageCodecs(decoders: coreCodecs.decoders, encoders: coreCodecs.encoders)

    /// Adds formats to ``standard``, for the whole process. What was registered before is replaced by codecs of the same
    /// type and format.
    ///
    /// ```swift
    /// ImageCodecs.register(.heic, .svg)
    /// ```
    ///
    /// Formats are products of their own (`HalcyonHEIC`, `HalcyonSVG`, …), so that a program is built with the libraries of
    /// those that it names, and no others. Without its registration, bytes of such a format are a
    /// ``CodecError/unregistered(_:)``.
    public static func register(_ formats: FormatCodecs...) {
        registered.withLock { $0 = $0.replacing(with: formats) }
    }

    /// The codecs of ``standard``.
    static var standardCodecs: FormatCodecs { registered.withLock { $0 } }

    private static let registered = Lock(coreCodecs)

    private static let coreCodecs = FormatCodecs(
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
        ],
        encoders: [
            JPEGEncoder(),
            PNGEncoder(),
            WebPEncoder(),
            GIFEncoder(),
            AVIFEncoder(),
            PAMEncoder(),
            BMPEncoder(),
            QOIEncoder(),
        ]
    )
}
