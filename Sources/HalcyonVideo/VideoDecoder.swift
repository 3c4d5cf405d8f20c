public import FoundationEssentials
public import HalcyonCodecs
internal import HalcyonRaster

/// Reads one frame of a video, or its cover, by FFmpeg's libraries: MP4, QuickTime, WebM, Matroska, AVI, MPEG transport
/// streams and Ogg, with the codecs of cameras, browsers and recorders, as far as the libraries were built with them.
///
/// ``DecodeOptions/videoFrame`` says which frame. It is shown as in players: turned by quarters as its track says, with
/// square pixels, and with the matrix, the range and the primaries that the video states (those of BT.709 from 720 rows
/// on, and of BT.601 below, where it does not). Videos of standard dynamic range are shown as sRGB is. High dynamic
/// range (PQ, HLG) is handled as in AVIF: ``DecodeOptions/color`` converts it to sRGB, without mapping of tones for the
/// scene, or leaves it as it is with 16 bits a sample. Interlaced frames are shown as coded. A frame is converted at a
/// reduced size where ``DecodeOptions/targetSize`` allows that.
///
/// Nothing but the bytes is read, neither another file nor the network. One thread decodes; it ends between two packets
/// once decoding is cancelled. At most ``DecodeLimits/frameCount`` frames are decoded, and 512 MiB read, for one image.
///
/// FFmpeg's libraries are loaded when the first video is read: they bring more than a hundred others, which a program
/// that reads none need not load. FFmpeg has one level of logging in a process. It is set to "quiet" then, because a
/// file could otherwise write to the standard error as much as it wants to, unless the program has set another before;
/// it may set another at any time.
public struct VideoDecoder: FileReadingDecoder, ConfinableDecoder, LibraryCodec {
    /// The container.
    public let format: ImageFormat
    package var library: CodecLibrary { .ffmpeg }
    /// The file that is read in place of the bytes; `nil` if the bytes are the video.
    private let video: VideoFile?

    /// A decoder of videos in a container, one of those for which ``ImageFormat/isVideo`` is `true`.
    public init(_ format: ImageFormat) {
        (self.format, video) = (format, nil)
    }

    /// A decoder of a video in a file, of which only what is needed is read. Reading blocks. It takes any bytes, and
    /// finds the container in the file.
    ///
    /// The bytes that it is given are not those of the file but a name of its state, so that the image is that of the
    /// state that the caller knows.
    ///
    /// - Parameters:
    ///   - path: The path of a regular file.
    ///   - state: Returns the name of the state of an open file.
    private init(path: String, state: @escaping @Sendable (_ descriptor: Int32) throws -> Data) {
        (format, video) = (VideoFile.format, VideoFile(path: path, state: state))
    }

    package func reading(
        fileAt path: String,
        state: @escaping @Sendable (_ descriptor: Int32) throws -> Data
    ) -> any ImageDecoder {
        VideoDecoder(path: path, state: state)
    }

    package var confinement: DecoderConfinement { .video }

    package var file: (any FileOfDecoder)? { video }

    package func decoder(of format: ImageFormat) -> any ImageDecoder { VideoDecoder(format) }

    /// Returns whether the bytes begin as the container does.
    public func recognizes(_ prefix: Data) -> Bool {
        video != nil || VideoContainer.detect(prefix) == format
    }

    /// Reads the header, and as much of the frames as it takes to know their size.
    ///
    /// - Throws: ``CodecError/truncated(_:)`` where the bytes do not reach far enough, as of an MP4 whose header stands
    /// at
    ///   its end, ``CodecError/corrupt(_:reason:)``, ``CodecError/unsupported(_:reason:)`` for a file without frames
    ///   and without a cover.
    public func info(of data: Data, limits: DecodeLimits) throws(CodecError) -> ImageInfo {
        try withoutCancellation { () throws in
            try withReader(of: data, extent: .header, limits: limits) { try $0.info() }
        }
    }

    /// Reads what the header says of the video.
    ///
    /// - Parameter limits: The bounds of reading. Default: ``DecodeLimits/standard``.
    /// - Throws: As ``info(of:limits:)`` does.
    public func videoInfo(of data: Data, limits: DecodeLimits = .standard) throws(CodecError) -> VideoInfo {
        try withoutCancellation { () throws in
            try withReader(of: data, extent: .header, limits: limits) { try $0.videoInfo() }
        }
    }

    /// Decodes a frame, or the cover.
    public func decode(
        _ data: Data,
        options: DecodeOptions,
        isCancelled: @Sendable () -> Bool
    ) throws -> DecodedImage {
        try withReader(of: data, extent: .frames, limits: options.limits, isCancelled: isCancelled) {
            try $0.image(options, isCancelled: isCancelled)
        }
    }

    private func withReader<Result>(
        of data: Data,
        extent: VideoSampleTables.Extent,
        limits: DecodeLimits,
        isCancelled: () -> Bool = { false },
        _ body: (VideoReader) throws -> Result
    ) throws -> Result {
        if let video {
            return try video.withReader(in: data, extent: extent, limits: limits, isCancelled: isCancelled, body)
        }
        guard !data.isEmpty else {
            throw CodecError.empty
        }
        return try data.withUnsafeBytes { bytes in
            try VideoReader.with(
                VideoBytes(bytes),
                of: format,
                extent: extent,
                limits: limits,
                isCancelled: isCancelled,
                body
            )
        }
    }
}

extension ImageDecoder {
    /// Runs a function that throws nothing but ``CodecError`` where it is not cancelled.
    func withoutCancellation<Result>(_ body: () throws -> Result) throws(CodecError) -> Result {
        do {
            return try body()
        } catch let error as CodecError {
            throw error
        } catch {
            throw .corrupt(format, reason: "\(error)")
        }
    }
}
