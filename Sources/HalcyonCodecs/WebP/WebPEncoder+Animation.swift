internal import CWebP
public import FoundationEssentials
internal import HalcyonRaster

extension WebPEncoder: AnimationEncoder {
    /// Encodes an animation, lossy with a quality, lossless without one. Of each frame, libwebp stores the rectangle
    /// that differs from the frame before. A frame that is the same as the one before makes that one stay longer
    /// instead.
    ///
    /// A duration can be 16,777,215 ms, all together 2^31 ms; a loop count 65,535.
    ///
    /// - Throws: ``CodecError/cannotEncode(_:reason:)``, ``CodecError/bitmap(_:)``, or `CancellationError`.
    public func encode(
        _ frames: [AnimationFrame],
        loopCount: Int,
        options: EncodeOptions,
        isCancelled: @Sendable () -> Bool
    ) throws -> Data {
        let size = try checkedSize(try frames.commonSize(for: format))
        var config = try configuration(options)
        var settings = WebPAnimEncoderOptions()
        guard WebPAnimEncoderOptionsInit(&settings) != 0 else {
            throw CodecError.cannotEncode(.webp, reason: "this version of libwebp")
        }
        settings.anim_params.loop_count = Int32(min(max(loopCount, 0), 0xFFFF))
        settings.anim_params.bgcolor = 0
        guard let encoder = WebPAnimEncoderNew(Int32(size.width), Int32(size.height), &settings) else {
            throw CodecError.cannotEncode(.webp, reason: "out of memory")
        }
        defer { WebPAnimEncoderDelete(encoder) }
        var timestamp: Int32 = 0
        for (number, frame) in frames.enumerated() {
            if isCancelled() { throw CancellationError() }
            try add(frame.bitmap, at: timestamp, to: encoder, &config, number)
            let duration = Int32(min(max(frame.duration, 0), 0xFF_FFFF))
            let (next, overflows) = timestamp.addingReportingOverflow(duration)
            guard !overflows else {
                throw CodecError.cannotEncode(.webp, reason: "the frames together stay longer than 2^31 ms")
            }
            timestamp = next
        }
        var assembled = WebPData()
        defer { WebPDataClear(&assembled) }
        guard WebPAnimEncoderAdd(encoder, nil, timestamp, nil) != 0,
            WebPAnimEncoderAssemble(encoder, &assembled) != 0, let bytes = assembled.bytes
        else {
            throw Self.error(of: encoder, "assembling the frames")
        }
        let metadata = try options.embeddedMetadata(in: .webp, of: size)
        return try WebPMetadataWriter.embed(metadata, in: .written(bytes, count: assembled.size))
    }

    private func add(
        _ bitmap: Bitmap,
        at timestamp: Int32,
        to encoder: OpaquePointer,
        _ config: inout WebPConfig,
        _ number: Int
    ) throws(CodecError) {
        let bitmap = try bitmap.withEightBits()
        var picture = WebPPicture()
        guard WebPPictureInit(&picture) != 0 else {
            throw .cannotEncode(.webp, reason: "this version of libwebp")
        }
        defer { WebPPictureFree(&picture) }
        // Frames are compared with each other, which works on RGB only.
        picture.use_argb = 1
        picture.width = Int32(bitmap.width)
        picture.height = Int32(bitmap.height)
        try Self.copy(bitmap, to: &picture)
        guard WebPAnimEncoderAdd(encoder, &picture, timestamp, &config) != 0 else {
            throw Self.error(of: encoder, "frame \(number)")
        }
    }

    private static func error(of encoder: OpaquePointer, _ place: String) -> CodecError {
        let message = WebPAnimEncoderGetError(encoder).map { String(cString: $0) } ?? "unknown"
        return .cannotEncode(.webp, reason: "\(place): \(message)")
    }
}
