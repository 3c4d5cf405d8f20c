package import FoundationEssentials
package import HalcyonRaster

/// Reads the text of a BlurHash, for sources that are known to be one: it takes all bytes for its own.
package struct BlurHashDecoder: ImageDecoder {
    /// The size of the image.
    private let size: PixelSize
    /// The factor of the contrast.
    private let punch: Double

    /// A decoder to images of this size.
    package init(size: PixelSize, punch: Double) {
        self.size = size
        self.punch = punch
    }

    /// BlurHash.
    package var format: ImageFormat { .blurHash }

    /// Returns `true`.
    package func recognizes(_ prefix: Data) -> Bool { true }

    /// Returns the size that the decoder was made for.
    ///
    /// - Throws: ``CodecError/empty``, ``CodecError/truncated(_:)``, ``CodecError/corrupt(_:reason:)``.
    package func info(of data: Data, limits: DecodeLimits) throws(CodecError) -> ImageInfo {
        _ = try hash(data)
        return ImageInfo(format: .blurHash, size: size)
    }

    /// Makes the image of the hash.
    ///
    /// - Throws: ``CodecError``, or `CancellationError`.
    package func decode(
        _ data: Data,
        options: DecodeOptions,
        isCancelled: @Sendable () -> Bool
    ) throws -> DecodedImage {
        let info = try info(of: data, limits: options.limits)
        try options.limits.check(size, of: .blurHash)
        guard options.frame == 0 else {
            throw CodecError.noSuchFrame(options.frame, frameCount: 1)
        }
        let bitmap = try hash(data).bitmap(size: size, punch: punch, isCancelled: isCancelled)
        return DecodedImage(bitmap: bitmap, info: info)
    }

    private func hash(_ data: Data) throws(CodecError) -> BlurHash {
        try BlurHash(String(decoding: data, as: UTF8.self))
    }
}
