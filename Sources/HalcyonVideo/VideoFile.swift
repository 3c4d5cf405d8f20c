internal import FoundationEssentials
internal import Glibc
internal import HalcyonCodecs
internal import HalcyonSystem

/// A video in a file, of which only what is needed is read. Reading blocks.
struct VideoFile: Sendable {
    /// The path of a regular file.
    let path: String
    /// Returns the name of the state of an open file.
    let state: @Sendable (_ descriptor: Int32) throws -> Data

    /// The format that errors name, as that of the file is not known before it is read.
    static let format = ImageFormat.mp4

    /// Opens the file in a known state, and reads it.
    ///
    /// - Throws: The errors of opening and of `body`; ``CodecError/corrupt(_:reason:)`` if the state of the file is another
    ///   one, or is another one after `body`.
    func withReader<Result>(
        in state: Data,
        extent: VideoSampleTables.Extent,
        limits: DecodeLimits,
        isCancelled: () -> Bool,
        _ body: (VideoReader) throws -> Result
    ) throws -> Result {
        // Without O_NONBLOCK, opening a pipe without a writer would never return.
        let descriptor = FilePath.withCString(path) { open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
        guard descriptor >= 0 else {
            throw CodecError.corrupt(Self.format, reason: String(cString: strerror(errno)))
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
        let result = try VideoReader.with(
            bytes,
            of: container,
            extent: extent,
            limits: limits,
            isCancelled: isCancelled,
            body
        )
        try check(descriptor, state)
        return result
    }

    private func check(_ descriptor: Int32, _ state: Data) throws {
        guard try self.state(descriptor) == state else {
            throw CodecError.corrupt(Self.format, reason: "the file changed while it was read")
        }
    }
}
