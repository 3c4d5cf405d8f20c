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

    /// Encodes a bitmap, as ``encode(_:as:options:)`` does.
    ///
    /// - Parameter isCancelled: Asked before each attempt: for a number of bytes there are several.
    /// - Throws: ``CodecError``, `CancellationError`.
    package func encode(
        _ bitmap: Bitmap,
        as format: ImageFormat,
        options: EncodeOptions,
        isCancelled: @Sendable () -> Bool
    ) throws -> Data {
        let encoder = try requiredEncoder(for: format)
        let search = QualitySearch(format, options)
        let data = try search.data { options throws in
            if isCancelled() { throw CancellationError() }
            return try encoder.encode(bitmap, options: options)
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

    /// Encodes the pages of a file, which may differ in size.
    ///
    /// - Parameters:
    ///   - pages: At least one.
    ///   - format: TIFF, or another whose encoder is a ``PageEncoder``.
    ///   - options: As for ``encode(_:as:options:)``. Default: the defaults.
    /// - Throws: As ``encode(_:as:options:)`` does; ``CodecError/unsupported(_:reason:)`` also for formats of one image.
    public func encode(
        pages: [Bitmap],
        as format: ImageFormat,
        options: EncodeOptions = EncodeOptions()
    ) throws(CodecError) -> Data {
        guard let encoder = try requiredEncoder(for: format) as? any PageEncoder else {
            throw .unsupported(format, reason: "its encoder writes files of one image only")
        }
        let search = QualitySearch(format, options)
        let data = try search.data { options throws(CodecError) in try encoder.encode(pages: pages, options: options) }
        return try search.checked(data)
    }

    /// Returns a JPEG file in another format, smaller and without loss: no pixel changes, the metadata are kept, and
    /// ``restoredJPEG(of:)`` returns the very same file.
    ///
    /// - Parameters:
    ///   - jpeg: The file.
    ///   - format: JPEG XL, or another whose encoder is a ``JPEGTranscoder``. Default: JPEG XL.
    ///   - options: The options, of which ``EncodeOptions/effort`` alone matters. Default: the defaults.
    /// - Throws: ``CodecError/unsupported(_:reason:)`` where no encoder can do that,
    ///   ``CodecError/cannotEncode(_:reason:)`` for a JPEG file that cannot be restored, and what reading the header of
    ///   a JPEG file throws.
    public func transcode(
        _ jpeg: Data,
        to format: ImageFormat = .jxl,
        options: EncodeOptions = EncodeOptions()
    ) throws(CodecError) -> Data {
        guard let encoder = try requiredEncoder(for: format) as? any JPEGTranscoder else {
            throw .unsupported(format, reason: "its encoder does not repack JPEG files")
        }
        return try encoder.transcode(jpeg, options: options)
    }

    /// Returns the JPEG file that ``transcode(_:to:options:)``, or another program in the same way, has repacked; `nil`
    /// for a file that was made in another way.
    ///
    /// - Throws: ``CodecError`` for a damaged file.
    public func restoredJPEG(of data: Data) throws(CodecError) -> Data? {
        guard let format = ImageFormat.detect(data), let encoder = encoder(for: format) as? any JPEGTranscoder else {
            return nil
        }
        return try encoder.restoredJPEG(of: data)
    }

    private func requiredEncoder(for format: ImageFormat) throws(CodecError) -> any ImageEncoder {
        guard let encoder = encoder(for: format) else {
            throw missing(.encoder, of: format)
        }
        return encoder
    }
}
