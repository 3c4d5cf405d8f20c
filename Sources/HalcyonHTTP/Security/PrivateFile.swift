internal import FoundationEssentials
internal import Glibc
internal import HalcyonFiles

/// A small file with secrets, for its user alone (permissions 0600), which several processes read and write.
///
/// It is written as a whole to a file beside it, which then takes its name: a crash leaves the old one or the new one.
/// Changes hold the lock of a further file, whose name ends in ".lock" and which stays; the file itself is replaced, so that
/// a lock on it would be one on an old file. All calls block.
struct PrivateFile: Sendable {
    private let path: String
    private let files: any FileSystem
    private let maximumBytes: Int

    /// - Parameter path: An absolute path; folders above it are made when it is written.
    init(_ path: String, fileSystem: any FileSystem, maximumBytes: Int) {
        self.path = path
        files = fileSystem
        self.maximumBytes = maximumBytes
    }

    /// Returns the content; `nil` if there is no file.
    func read() throws(PrivateFileError) -> Data? {
        let file: FileDescriptor
        do throws(FileSystemError) {
            file = try files.openForReading(path)
        } catch .notFound {
            return nil
        } catch {
            // A link is refused as well: its target may be anyone's.
            throw error.code == Int(ELOOP) ? failure(.notPrivate) : failure(.system(error.description))
        }
        defer { files.close(file) }
        let status = try system { () throws(FileSystemError) in try files.status(of: file) }
        // Others who may write it could plant a session of theirs.
        guard status.kind == .file, (status.permissions ?? 0) & 0o022 == 0,
            status.owner.map({ $0 == geteuid() }) ?? true
        else { throw failure(.notPrivate) }
        guard status.size <= maximumBytes else { throw failure(.tooLong) }
        var bytes = [UInt8](repeating: 0, count: status.size)
        let result = bytes.withUnsafeMutableBytes { bytes in
            Result { () throws(FileSystemError) in try files.readAll(file, into: bytes, at: 0) }
        }
        let count = try system { () throws(FileSystemError) in try result.get() }
        return Data(bytes.prefix(count))
    }

    /// Replaces the content, with no change of another process in between.
    ///
    /// - Parameter change: Gets the content, `nil` if there is no file, and returns the new one, or `nil` to leave it as it
    ///   is.
    func update(_ change: (Data?) -> Data?) throws(PrivateFileError) {
        let lock = try system { () throws(FileSystemError) in try lockFile() }
        defer { files.close(lock) }
        guard let new = change(try read()) else { return }
        try system { () throws(FileSystemError) in try replace(with: new) }
    }

    private func lockFile() throws(FileSystemError) -> FileDescriptor {
        let path = path + ".lock"
        if let slash = path.lastIndex(of: "/"), slash != path.startIndex {
            try files.createFolders(String(path[..<slash]))
        }
        let file: FileDescriptor
        do throws(FileSystemError) {
            file = try files.create(path)
        } catch .exists {
            file = try files.openForAppending(path)
        }
        do throws(FileSystemError) {
            _ = try files.lock(file, waits: true)
            return file
        } catch {
            files.close(file)
            throw error
        }
    }

    private func replace(with data: Data) throws(FileSystemError) {
        let temporary = path + ".new"
        // Left by a process that ended while it held the lock.
        try files.removeFileIfPresent(temporary)
        let file = try files.create(temporary)
        do throws(FileSystemError) {
            defer { files.close(file) }
            let result = Array(data).withUnsafeBytes { bytes in
                Result { () throws(FileSystemError) in try files.writeAll(file, from: bytes) }
            }
            try result.get()
            try files.synchronize(file)
            try files.rename(temporary, to: path)
        } catch {
            try? files.removeFileIfPresent(temporary)
            throw error
        }
        if let slash = path.lastIndex(of: "/") {
            try files.synchronizeFolder(slash == path.startIndex ? "/" : String(path[..<slash]))
        }
    }

    private func system<Value>(_ body: () throws(FileSystemError) -> Value) throws(PrivateFileError) -> Value {
        do throws(FileSystemError) {
            return try body()
        } catch {
            throw failure(.system(error.description))
        }
    }

    private func failure(_ reason: PrivateFileError.Reason) -> PrivateFileError {
        PrivateFileError(path: path, reason: reason)
    }
}
