internal import FoundationEssentials
internal import Glibc
internal import HalcyonStore
internal import HalcyonSystem

/// Reads local files whole. Blocks, so it belongs on a worker thread.
enum FileReader {
    /// The attributes that distinguish one state of a file from another.
    struct Identity: Hashable, Sendable {
        let byteCount: Int
        let modifiedSeconds: Int
        let modifiedNanoseconds: Int
        /// The time of the last change of the file or its attributes. Unlike the time of modification, no program can set it.
        let changedSeconds: Int
        let changedNanoseconds: Int
        let node: UInt64
        let device: UInt64
    }

    /// A failure to read a file.
    struct Failure: Error {
        let reason: String
    }

    /// Returns the present state of a file.
    static func identity(of path: String) throws(Failure) -> Identity {
        var status = stat()
        guard FilePath.withCString(path, { stat($0, &status) }) == 0 else { throw Failure(reason: errorText(errno)) }
        return try identity(of: status)
    }

    /// Returns the present state of a file; `nil` if this process may not read it.
    static func readableIdentity(of path: String) throws(Failure) -> Identity? {
        guard FilePath.withCString(path, { access($0, R_OK) }) == 0 else { return nil }
        return try identity(of: path)
    }

    /// Returns the present state of an open file.
    static func identity(ofOpen descriptor: Int32) throws(Failure) -> Identity {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw Failure(reason: errorText(errno)) }
        return try identity(of: status)
    }

    /// Returns all bytes of a regular file, at most `limit` of them, and the state that they belong to; `nil` if the file
    /// changed meanwhile.
    static func read(
        _ path: String,
        limit: Int,
        cancellation: CancellationFlag
    ) throws -> (data: Data, identity: Identity?) {
        // Without O_NONBLOCK, opening a pipe without a writer would never return.
        let descriptor = FilePath.withCString(path) { open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
        guard descriptor >= 0 else { throw Failure(reason: errorText(errno)) }
        defer { close(descriptor) }
        let identity = try identity(ofOpen: descriptor)
        guard identity.byteCount <= limit else {
            throw Failure(reason: "\(identity.byteCount) bytes are more than the \(limit) allowed")
        }
        let data = try Data.filled(capacity: max(1, identity.byteCount)) { buffer in
            var offset = 0
            while offset < identity.byteCount {
                try cancellation.check()
                let remaining = min(identity.byteCount - offset, 4 << 20)
                let count = Glibc.read(descriptor, buffer.baseAddress.map { $0 + offset }, remaining)
                if count < 0 {
                    if errno == EINTR { continue }
                    throw Failure(reason: errorText(errno))
                }
                // The file has become shorter since its size was read.
                if count == 0 { break }
                offset += count
            }
            return offset
        }
        guard let data else { throw Failure(reason: errorText(ENOMEM)) }
        return (data, try self.identity(ofOpen: descriptor) == identity ? identity : nil)
    }

    private static func identity(of status: stat) throws(Failure) -> Identity {
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw Failure(reason: status.st_mode & S_IFMT == S_IFDIR ? "it is a folder" : "it is no regular file")
        }
        return Identity(
            byteCount: Int(status.st_size),
            modifiedSeconds: status.st_mtim.tv_sec,
            modifiedNanoseconds: status.st_mtim.tv_nsec,
            changedSeconds: status.st_ctim.tv_sec,
            changedNanoseconds: status.st_ctim.tv_nsec,
            node: UInt64(status.st_ino),
            device: UInt64(status.st_dev)
        )
    }

    private static func errorText(_ code: Int32) -> String {
        String(cString: strerror(code))
    }
}
