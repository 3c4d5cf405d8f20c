public import FoundationEssentials
internal import HalcyonCodecs
internal import HalcyonFiles
public import HalcyonRaster

extension Source {
    /// The blurred image that a BlurHash stands for; see ``BlurHash``. It is kept in memory only.
    ///
    /// - Parameters:
    ///   - text: The characters of the hash. Loads of text that is none fail with ``CodecError``.
    ///   - size: The size of the image, at most 1,024 pixels a side. A hash has no aspect ratio, so it should be that of
    ///     the image for which it stands. Default: 32 × 32.
    ///   - punch: The factor of the contrast. Default: 1.
    public static func blurHash(
        _ text: String,
        size: PixelSize = PixelSize(32, 32),
        punch: Double = 1
    ) -> Source {
        Source(.placeholder(.blurHash(text, size: size, punch: punch)), cacheKey: nil)
    }

    /// The blurred image that a ThumbHash stands for, 32 pixels on its longest side; see ``ThumbHash``. It is kept in
    /// memory only.
    ///
    /// - Parameter bytes: The bytes of the hash. Loads of bytes that are none fail with ``CodecError``.
    public static func thumbHash(_ bytes: Data) -> Source {
        Source(.placeholder(.thumbHash(bytes)), cacheKey: nil)
    }

    /// The blurred image that a ThumbHash in Base64 stands for; see ``ThumbHash/init(base64:)``. It is kept in memory
    /// only.
    ///
    /// - Parameter text: The text of the hash. Loads of text that is none fail with ``CodecError``.
    public static func thumbHash(_ text: String) -> Source {
        guard let bytes = try? Base64.data(of: Array(text.utf8), isURLSafe: true) else {
            return Source(.placeholder(.malformedThumbHash(text)), cacheKey: nil)
        }
        return .thumbHash(bytes)
    }

    /// Returns the codecs that the bytes of this source are decoded with.
    func codecs(over codecs: ImageCodecs) -> ImageCodecs {
        switch location {
        case .placeholder(let hash): ImageCodecs(decoders: [hash.decoder])
        case .videoFile(let path): VideoFrame.codecs(ofFile: path, over: codecs)
        case .network, .file, .thumbnail, .data, .provider, .invalid: codecs
        }
    }
}
