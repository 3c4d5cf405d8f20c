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
        return try QualitySearch(format, options).data { options throws(CodecError) in
            try encoder.encode(bitmap, options: options)
        }
    }

    /// Encodes an animation.
    ///
    /// - Parameters:
    ///   - frames: At least one; all of the same size.
    ///   - format: GIF, PNG, WebP, or another whose encoder is an ``AnimationEncoder``.
    ///   - loopCount: How often it plays. Default: 0, without end.
    ///   - options: As for ``encode(_:as:options:)``. Default: the defaults.
    /// - Throws: As ``encode(_:as:options:)`` does; ``CodecError/unsupported(_:reason:)`` also for formats that hold
    ///   still images only.
    public func encode(
        _ frames: [AnimationFrame],
        as format: ImageFormat,
        loopCount: Int = 0,
        options: EncodeOptions = EncodeOptions()
    ) throws(CodecError) -> Data {
        guard let encoder = try requiredEncoder(for: format) as? any AnimationEncoder else {
            throw .unsupported(format, reason: "its encoder writes still images only")
        }
        return try QualitySearch(format, options).data { options throws(CodecError) in
            try encoder.encode(frames, loopCount: loopCount, options: options)
        }
    }

    private func requiredEncoder(for format: ImageFormat) throws(CodecError) -> any ImageEncoder {
        guard let encoder = encoder(for: format) else {
            throw .unsupported(format, reason: "there is no encoder for this format")
        }
        return encoder
    }
}
