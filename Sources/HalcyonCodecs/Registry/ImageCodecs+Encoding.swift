public import FoundationEssentials
public import HalcyonRaster

extension ImageCodecs {
    /// Encodes a bitmap.
    ///
    /// Where ``EncodeOptions/maximumByteCount`` is given and passed at the quality asked for, the image is encoded
    /// again at lower ones, eight times at most.
    ///
    /// - Throws: ``CodecError/unsupported(_:reason:)`` where there is no encoder,
    ///   ``CodecError/cannotEncode(_:reason:)`` where the format cannot hold the bitmap,
    ///   ``CodecError/tooManyBytes(_:byteCount:maximum:)``.
    public func encode(
        _ bitmap: Bitmap,
        as format: ImageFormat,
        options: EncodeOptions = EncodeOptions()
    ) throws(CodecError) -> Data {
        let encoder = try requiredEncoder(for: format)
        let search = QualitySearch(format, options)
        let data = try search.data { options throws(CodecError) in
            try encoder.encode(bitmap, options: options)
        }
        return try search.checked(data)
    }

    /// Encodes an animation.
    ///
    /// - Parameters:
    ///   - frames: At least one; all of the same size.
    ///   - format: GIF, PNG, WebP, or another whose encoder is an ``AnimationEncoder``.
    ///   - loopCount: How often it plays. Default: 0, without end.
    ///   - options: As for ``encode(_:as:options:)``. Default: the defaults.
    ///   - isCancelled: Asked before each frame; once it says `true`, encoding ends. Default: never.
    /// - Throws: As ``encode(_:as:options:)`` does; ``CodecError/unsupported(_:reason:)`` also for formats that hold
    ///   still images only; `CancellationError`.
    public func encode(
        _ frames: [AnimationFrame],
        as format: ImageFormat,
        loopCount: Int = 0,
        options: EncodeOptions = EncodeOptions(),
        isCancelled: @Sendable () -> Bool = { false }
    ) throws -> Data {
        guard let encoder = try requiredEncoder(for: format) as? any AnimationEncoder else {
            throw CodecError.unsupported(format, reason: "its encoder writes still images only")
        }
        let search = QualitySearch(format, options)
        let data = try search.data { options throws in
            try encoder.encode(frames, loopCount: loopCount, options: options, isCancelled: isCancelled)
        }
        return try search.checked(data)
    }

    private func requiredEncoder(for format: ImageFormat) throws(CodecError) -> any ImageEncoder {
        guard let encoder = encoder(for: format) else {
            throw .unsupported(format, reason: "there is no encoder for this format")
        }
        return encoder
    }
}
