internal import FoundationEssentials
internal import Glibc
internal import HalcyonCodecs
internal import HalcyonSystem

/// A video in a file, of which only what is needed is read. Reading blocks.
struct VideoFile: FileOfDecoder {
    /// The path of a regular file.
    let path: String
    /// Returns the name of the state of an open file.
    let state: @Sendable (_ descriptor: Int32) throws -> Data

    /// The format that errors name, as that of the file is not known before it is read.
    static let format = ImageFormat.mp4

    /// Opens the file in a known state, and reads it.
    ///
    /// - Throws: As ``withFile(in:_:)`` does.
    func withReader<Result>(
        in state: Data,
        extent: VideoSampleTables.Extent,
        limits: DecodeLimits,
        isCancelled: () -> Bool,
        _ body: (VideoReader) throws -> Result
    ) throws -> Result {
        try withFile(in: state) { descriptor, byteCount, container in
            try VideoReader.with(
                VideoBytes(descriptor: descriptor, count: byteCount),
                of: container,
                extent: extent,
                limits: limits,
                isCancelled: isCancelled,
                body
            )
        }
    }

    func withFile<Result>(
        in state: Data,
        _ body: (_ descriptor: Int32, _ byteCount: Int, _ format: ImageFormat) throws -> Result
    ) throws -> Result {
        // Without O_NONBLOCK, opening a pipe without a writer would never return.
        let descriptor = FilePath.withCString(path) { open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
        guard descriptor >= 0 else {
            throw CodecError.corrupt(Self.format, reason: String(cString: strerror(errno)))
        }
        defer { close(descriptor) }
        try check(descriptor, state)
        let byteCount = Int(lseek(descriptor, 0, SEEK_END))
        let prefix = try VideoBytes(descriptor: descriptor, count: byteCount).bytes(at: 0, count: 4_096)
        guard !prefix.isEmpty else {
            throw CodecError.empty
        }
        guard ImageFormat.detect(prefix) == nil || ImageFormat.detect(prefix)?.isVideo == true,
            let container = VideoContainer.detect(prefix)
        else {
            let detected = ImageFormat.detect(prefix)?.name ?? ForeignContent.name(of: prefix)
            throw CodecError.unknownFormat(detected: detected.map { "\($0), and no video" })
        }
        let result = try body(descriptor, byteCount, container)
        try check(descriptor, state)
        return result
    }

    private func check(_ descriptor: Int32, _ state: Data) throws {
        guard try self.state(descriptor) == state else {
            throw CodecError.corrupt(Self.format, reason: "the file changed while it was read")
        }
    }
}
