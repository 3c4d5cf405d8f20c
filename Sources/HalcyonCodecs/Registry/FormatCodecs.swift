/// The decoders and encoders of one or several formats, with which ``ImageCodecs`` are extended.
///
/// Formats whose libraries are large have a product each, with a static property here: `heic` in `HalcyonHEIC`, `jpegXL` in
/// `HalcyonJPEGXL`, `tiff` in `HalcyonTIFF`, `svg` in `HalcyonSVG`, and `video` in `HalcyonVideo`. `HalcyonFormats` has all of
/// them, and `all`.
///
/// ```swift
/// import Halcyon
/// import HalcyonHEIC
/// import HalcyonSVG
///
/// ImageCodecs.register(.heic, .svg)
/// ```
public struct FormatCodecs: Sendable {
    /// In the order in which they are asked.
    public let decoders: [any ImageDecoder]
    /// In the order in which they are asked.
    public let encoders: [any ImageEncoder]

    /// The codecs of a format.
    ///
    /// - Parameters:
    ///   - decoders: In the order in which they are asked. Default: none.
    ///   - encoders: In the order in which they are asked. Default: none.
    public init(decoders: [any ImageDecoder] = [], encoders: [any ImageEncoder] = []) {
        self.decoders = decoders
        self.encoders = encoders
    }

    /// The codecs of several formats, in this order.
    public init(_ formats: [FormatCodecs]) {
        self.init(decoders: formats.flatMap(\.decoders), encoders: formats.flatMap(\.encoders))
    }

    /// Returns these codecs with others, which take the place of those of the same type and format, and otherwise come
    /// after them, but before videos: what is an image by its signature is no video.
    func replacing(with formats: [FormatCodecs]) -> FormatCodecs {
        let decoders = Self.replacing(in: decoders, formats.flatMap(\.decoders)) { $0.format }
        return FormatCodecs(
            decoders: decoders.filter { !$0.format.isVideo } + decoders.filter(\.format.isVideo),
            encoders: Self.replacing(in: encoders, formats.flatMap(\.encoders)) { $0.format }
        )
    }

    private static func replacing<Codec>(
        in codecs: [Codec],
        _ others: [Codec],
        format: (Codec) -> ImageFormat
    ) -> [Codec] {
        others.reduce(into: codecs) { codecs, other in
            // The type of a value that is known as `any ImageDecoder` is asked of it as `Any`.
            let earlier = codecs.firstIndex {
                type(of: $0 as Any) == type(of: other as Any) && format($0) == format(other)
            }
            if let earlier { codecs[earlier] = other } else { codecs.append(other) }
        }
    }
}
