internal import CVideoShim
internal import FoundationEssentials
internal import HalcyonCodecs
internal import HalcyonRaster

/// An open video: owns what FFmpeg keeps of it. Belongs to one thread.
final class VideoReader {
    let format: ImageFormat
    let limits: DecodeLimits
    let video: OpaquePointer
    let description: HalcyonVideoDescription
    private let source: Source

    /// Called from C, which keeps a pointer to it: so it lives as long as the reader.
    private final class Source {
        let bytes: VideoBytes
        let isCancelled: () -> Bool

        init(_ bytes: VideoBytes, _ isCancelled: @escaping () -> Bool) {
            (self.bytes, self.isCancelled) = (bytes, isCancelled)
        }
    }

    /// Opens a video, and lets `body` use it.
    ///
    /// - Parameters:
    ///   - format: By the first bytes.
    ///   - extent: What `body` needs.
    /// - Throws: ``CodecError``, `CancellationError`.
    static func with<Result>(
        _ bytes: VideoBytes,
        of format: ImageFormat,
        extent: VideoSampleTables.Extent,
        limits: DecodeLimits,
        isCancelled: () -> Bool,
        _ body: (VideoReader) throws -> Result
    ) throws -> Result {
        try withoutActuallyEscaping(isCancelled) { isCancelled in
            let isMovie = format == .mp4 || format == .mov
            let findings =
                isMovie
                ? try VideoSampleTables.check(
                    bytes,
                    of: format,
                    extent: extent,
                    limits: limits,
                    isCancelled: isCancelled
                ) : nil
            bytes.substitute(findings?.substitutes ?? [])
            do {
                let hasTooManyEdits = findings?.hasTooManyEdits ?? false
                let reader = try VideoReader(bytes, format, limits, ignoresEdits: hasTooManyEdits, isCancelled)
                return try withExtendedLifetime(reader) { try body(reader) }
            } catch CodecError.corrupt(let format, _) where findings?.isCutShort ?? false {
                throw CodecError.truncated(format)
            }
        }
    }

    private init(
        _ bytes: VideoBytes,
        _ format: ImageFormat,
        _ limits: DecodeLimits,
        ignoresEdits: Bool,
        _ isCancelled: @escaping () -> Bool
    ) throws {
        guard let demuxer = VideoContainer.demuxer(of: format) else {
            throw CodecError.unsupported(format, reason: "it is no container of videos")
        }
        let source = Source(bytes, isCancelled)
        var input = HalcyonVideoInput(
            context: Unmanaged.passUnretained(source).toOpaque(),
            byte_count: Int64(bytes.count),
            read: { context, offset, target, count in
                guard let context, let target else { return -1 }
                let buffer = UnsafeMutableRawBufferPointer(start: target, count: Int(count))
                let source = Unmanaged<Source>.fromOpaque(context).takeUnretainedValue()
                return Int32(clamping: source.bytes.read(at: Int(offset), into: buffer))
            },
            is_cancelled: { context in
                context.map { Unmanaged<Source>.fromOpaque($0).takeUnretainedValue().isCancelled() } ?? true
            },
            ignores_edits: ignoresEdits
        )
        let (packetCount, isUnlimited) = limits.frameCount.multipliedReportingOverflow(by: 16)
        var bounds = HalcyonVideoBounds(
            pixel_count: Int64(limits.pixelCount),
            examined_pixel_count: Int64(Self.examinedPixelCount(limits)),
            frame_count: Int64(limits.frameCount),
            packet_count: isUnlimited ? .max : Int64(packetCount),
            read_byte_count: Self.greatestReadByteCount
        )
        var status = HalcyonVideoDone
        let video = halcyon_video_open(demuxer, &input, &bounds, &status)
        guard let video else {
            throw Self.error(status, format, limits)
        }
        var description = HalcyonVideoDescription()
        halcyon_video_describe(video, &description)
        (self.format, self.limits, self.video, self.description) = (format, limits, video, description)
        self.source = source
    }

    deinit {
        halcyon_video_close(video)
    }

    /// Returns the most pixels of a frame that the decoder of a stream takes while the streams are examined, before the
    /// size of the frame is known: as many as there is memory for, with 8 frames of two bytes for a pixel, as for the
    /// decoding itself. Decoders ask for 512 rows of small frames.
    static func examinedPixelCount(_ limits: DecodeLimits) -> Int {
        min(limits.pixelCount, max(limits.memory / 16, 1 << 18))
    }

    /// The most bytes that are read for one image, 512 MiB: a container without an index is searched by reading it.
    private static let greatestReadByteCount: Int64 = 512 << 20

    /// - Throws: What a status says.
    func check(_ status: HalcyonVideoStatus) throws {
        guard status != HalcyonVideoDone else { return }
        throw Self.error(status, format, limits)
    }

    private static func error(
        _ status: HalcyonVideoStatus,
        _ format: ImageFormat,
        _ limits: DecodeLimits
    ) -> any Error {
        switch status {
        case HalcyonVideoEnd: CodecError.truncated(format)
        case HalcyonVideoCancelled: CancellationError()
        case HalcyonVideoNoLibrary:
            CodecError.unsupported(format, reason: "the libraries of FFmpeg that this build is for are not installed")
        case HalcyonVideoNoMemory: CodecError.bitmap(.outOfMemory(byteCount: 0))
        case HalcyonVideoUnreadable: CodecError.corrupt(format, reason: "it cannot be read")
        case HalcyonVideoNoStream: CodecError.unsupported(format, reason: "it has neither moving images nor a cover")
        case HalcyonVideoNoDecoder: CodecError.unsupported(format, reason: "its codec is not decoded")
        case HalcyonVideoTooMuchWork:
            CodecError.limitExceeded(format, .frameCount(limits.frameCount, maximum: limits.frameCount))
        default: CodecError.corrupt(format, reason: "no frame can be decoded")
        }
    }
}
