package import FoundationEssentials

/// Reads a ThumbHash, for sources that are known to be one: it takes all bytes for its own.
package struct ThumbHashDecoder: ImageDecoder {
    /// A Boolean value that indicates whether the bytes are text in Base64.
    private let isText: Bool

    /// A decoder of bytes, or of text in Base64.
    package init(isText: Bool) {
        self.isText = isText
    }

    /// ThumbHash.
    package var format: ImageFormat { .thumbHash }

    /// Returns `true`.
    package func recognizes(_ prefix: Data) -> Bool { true }

    /// Returns the size of the image, 32 pixels for the longest side.
    ///
    /// - Throws: ``CodecError/empty``, ``CodecError/truncated(_:)``, ``CodecError/corrupt(_:reason:)``.
    package func info(of data: Data, limits: DecodeLimits) throws(CodecError) -> ImageInfo {
        let hash = try hash(data)
        return ImageInfo(format: .thumbHash, size: hash.size(), hasAlpha: hash.hasAlpha)
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
        try options.limits.check(info.size, of: .thumbHash)
        guard options.frame == 0 else {
            throw CodecError.noSuchFrame(options.frame, frameCount: 1)
        }
        let bitmap = try hash(data).bitmap(isCancelled: isCancelled)
        return DecodedImage(bitmap: bitmap, info: info)
    }

    private func hash(_ data: Data) throws(CodecError) -> ThumbHash {
        isText ? try ThumbHash(base64: String(decoding: data, as: UTF8.self)) : try ThumbHash(data)
    }
}
