#if Video
package import FoundationEssentials
internal import Glibc

/// Reads one frame of a video in a file, of which only what is needed is read. Reading blocks.
///
/// The bytes that it is given are not those of the file but a name of its state, so that the image is that of the state
/// that the caller knows.
package struct VideoFileDecoder: ImageDecoder {
    private let path: String
    private let state: @Sendable (Int32) throws -> Data

    /// A decoder of a file.
    ///
    /// - Parameters:
    ///   - path: The path of a regular file.
    ///   - state: Returns the name of the state of an open file.
    package init(path: String, state: @escaping @Sendable (_ descriptor: Int32) throws -> Data) {
        (self.path, self.state) = (path, state)
    }

    /// Of a container that is not known before it is read.
    package var format: ImageFormat { .mp4 }

    /// `true`.
    package func recognizes(_ prefix: Data) -> Bool { true }

    /// Reads the header.
    package func info(of data: Data, limits: DecodeLimits) throws(CodecError) -> ImageInfo {
        try withoutCancellation { () throws in
            try withReader(in: data, limits: limits, isCancelled: { false }) { try $0.info() }
        }
    }

    /// Reads what the header says of the video.
    package func videoInfo(of data: Data, limits: DecodeLimits = .standard) throws(CodecError) -> VideoInfo {
        try withoutCancellation { () throws in
            try withReader(in: data, limits: limits, isCancelled: { false }) { try $0.videoInfo() }
        }
    }

    /// Decodes a frame, or the cover.
    package func decode(
        _ data: Data,
        options: DecodeOptions,
        isCancelled: @Sendable () -> Bool
    ) throws -> DecodedImage {
        try withReader(in: data, limits: options.limits, isCancelled: isCancelled) {
            try $0.image(options, isCancelled: isCancelled)
        }
    }

    private func withReader<Result>(
        in state: Data,
        limits: DecodeLimits,
        isCancelled: () -> Bool,
        _ body: (VideoReader) throws -> Result
    ) throws -> Result {
        // Without O_NONBLOCK, opening a pipe without a writer would never return.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            throw CodecError.corrupt(format, reason: String(cString: strerror(errno)))
        }
        defer { close(descriptor) }
        try check(descriptor, state)
        let bytes = VideoBytes(descriptor: descriptor, count: Int(lseek(descriptor, 0, SEEK_END)))
        let prefix = bytes.bytes(at: 0, count: 4_096)
        guard !prefix.isEmpty else {
            throw CodecError.empty
        }
        guard ImageFormat.detect(prefix) == nil || ImageFormat.detect(prefix)?.isVideo == true,
            let container = VideoContainer.detect(prefix)
        else {
            let detected = ImageFormat.detect(prefix)?.name ?? ForeignContent.name(of: prefix)
            throw CodecError.unknownFormat(detected: detected.map { "\($0), and no video" })
        }
        let result = try VideoReader.with(bytes, of: container, limits: limits, isCancelled: isCancelled, body)
        try check(descriptor, state)
        return result
    }

    private func check(_ descriptor: Int32, _ state: Data) throws {
        guard try self.state(descriptor) == state else {
            throw CodecError.corrupt(format, reason: "the file changed while it was read")
        }
    }
}
#endif
