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
        var (decoders, encoders) = (decoders, encoders)
        for decoder in formats.lazy.flatMap(\.decoders) {
            let earlier = decoders.firstIndex { type(of: $0) == type(of: decoder) && $0.format == decoder.format }
            if let earlier { decoders[earlier] = decoder } else { decoders.append(decoder) }
        }
        for encoder in formats.lazy.flatMap(\.encoders) {
            let earlier = encoders.firstIndex { type(of: $0) == type(of: encoder) && $0.format == encoder.format }
            if let earlier { encoders[earlier] = encoder } else { encoders.append(encoder) }
        }
        let images = decoders.filter { !$0.format.isVideo }
        return FormatCodecs(decoders: images + decoders.filter(\.format.isVideo), encoders: encoders)
    }
}
