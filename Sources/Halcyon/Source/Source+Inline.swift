public import FoundationEssentials
internal import HalcyonCodecs
public import HalcyonRaster
internal import HalcyonSystem

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
        // Of the values that are no number one stands for all, as there is one name for all.
        Source(.inline(.blurHash(text, size: size, punch: punch.isNaN ? .nan : punch)), cacheKey: nil)
    }

    /// The blurred image that a ThumbHash stands for, 32 pixels on its longest side; see ``ThumbHash``. It is kept in
    /// memory only.
    ///
    /// - Parameter bytes: The bytes of the hash. Loads of bytes that are none fail with ``CodecError``.
    public static func thumbHash(_ bytes: Data) -> Source {
        Source(.inline(.thumbHash(bytes)), cacheKey: nil)
    }

    /// The blurred image that a ThumbHash in Base64 stands for; see ``ThumbHash/init(base64:)``. It is kept in memory
    /// only.
    ///
    /// - Parameter text: The text of the hash. Loads of text that is none fail with ``CodecError``.
    public static func thumbHash(_ text: String) -> Source {
        guard let bytes = try? Base64.data(of: Array(text.utf8), isURLSafe: true) else {
            return Source(.inline(.malformedThumbHash(text)), cacheKey: nil)
        }
        return .thumbHash(bytes)
    }

    /// Pixels that are there, such as of a drawing, a screen or a camera, which go through processors and caches as those
    /// of any image.
    ///
    /// ```swift
    /// let thumbnail = try await pipeline.image(from: ImageRequest(.image(bitmap, id: "page-7@3"), options: [
    ///     .processor(.downsample(to: .pixels(200, 200))),
    /// ]))
    /// ```
    ///
    /// The image itself is kept in memory, and what processors make of it on disk as well. ``ImagePipeline/data(for:)``
    /// returns it as a PNG.
    ///
    /// - Parameters:
    ///   - bitmap: The pixels, in sRGB.
    ///   - id: The identity of the pixels, now and in later processes: sources with the same one are taken for the same
    ///     image, and other pixels need another one.
    public static func image(_ bitmap: Bitmap, id: String) -> Source {
        Source(.inline(.pixels(bitmap, id: id)), cacheKey: nil)
    }

    /// Returns the codecs that the bytes of this source are decoded with.
    func codecs(over codecs: ImageCodecs) -> ImageCodecs {
        switch location {
        case .inline(let image): ImageCodecs(decoders: [image.decoder], encoders: codecs.encoders)
        case .videoFile(let path): VideoFrame.codecs(ofFile: path.text, over: codecs)
        case .network, .file, .thumbnail, .data, .provider, .invalid: codecs
        }
    }
}
