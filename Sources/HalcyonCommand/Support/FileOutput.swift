internal import ArgumentParser
internal import FoundationEssentials
internal import Glibc
internal import Halcyon
internal import HalcyonSystem

/// Writes result files, whole or not at all.
enum FileOutput {
    /// The queue that writes files. A pipe or a slow disk blocks its threads, and none of Swift's own pool.
    private static let queue = WorkQueue(name: "halcyon.output", width: 4)

    /// Writes like ``write(_:to:origin:source:)``, on a thread of its own.
    ///
    /// - Throws: ``ImageError`` of the stage ``ImageError/Stage/store``, `CancellationError`.
    static func writeInBackground(_ data: Data, to path: String, source: String) async throws {
        try await inBackground { try write(data, to: path, source: source) }
    }

    /// Runs `body`, which writes, on a thread of its own.
    ///
    /// - Throws: The error of `body`, `CancellationError`.
    static func inBackground<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await queue.run(priority: PriorityBox(.normal)) { flag in
            try flag.check()
            return try body()
        }
    }

    /// Writes to a temporary file in the same folder and renames it. A regular file at `path`, or that a link there leads
    /// to, is replaced, and its permissions and access control list are kept. To anything else, such as a device or a pipe,
    /// the bytes are written in place, and so they are to a file whose folder takes no other.
    ///
    /// The bytes are on the device before they replace a file: a loss of power leaves either the old file or the new
    /// one. A write to a new file does not wait for the device, which would take 1 ms each: the file can be made again.
    ///
    /// - Parameter origin: Noted at the file, unless it is written in place. Default: `nil`.
    /// - Throws: ``ImageError`` of the stage ``ImageError/Stage/store``; then no temporary file is left.
    static func write(_ data: Data, to path: String, origin: FileOrigin? = nil, source: String) throws {
        var status = stat()
        let isThere = lstat(path, &status) == 0
        guard let file = isThere ? replaceableFile(at: path) : path else {
            return try writeThrough(data, to: path, source: source)
        }
        try staging(data, in: file.parentFolder, named: file, for: path, source: source) { descriptor in
            _ = origin?.mark(descriptor, .system)
            if isThere { try prepare(descriptor, toReplace: file, source: source) }
        } name: { temporary, _ in
            guard TemporaryOutput.rename(temporary, to: file) else { throw failure(path, source, errno) }
        }
    }

    /// Removes what a killed run was writing for a file that is named; blocks.
    static func removeLeftover(of path: String) {
        TemporaryOutput.removeLeftover(of: replaceableFile(at: path) ?? path)
    }

    /// Returns the path of the regular file that a path leads to, if another one may take its place.
    private static func replaceableFile(at path: String) -> String? {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        var file = path
        if lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK {
            // What such a link leads to is open elsewhere, and is read or written further there.
            let absolute = FilePath.absolute(path)
            guard !absolute.hasPrefix("/dev/"), !absolute.hasPrefix("/proc/"), !isStandardOutput(path),
                let resolved = realpath(path, nil)
            else { return nil }
            defer { free(resolved) }
            guard let text = String(validatingCString: resolved) else { return nil }
            file = text
        }
        return access(file.parentFolder, W_OK) == 0 ? file : nil
    }

    /// The error of a file that could not be named, whose temporary name another program's file may have.
    struct StrayedFile: Error {
        let error: ImageError
    }

    /// Writes a temporary file in a folder, and lets `name` give it its name. If anything fails, it is removed, unless
    /// the error is a ``StrayedFile``.
    ///
    /// - Parameters:
    ///   - file: The path of the file, where it is known before. Default: `nil`.
    ///   - path: The path for errors.
    ///   - finish: Called with the written file, still open.
    ///   - name: Called with the path of the closed file, and with what `finish` returned.
    static func staging<Finished, Result>(
        _ data: Data,
        in folder: String,
        named file: String? = nil,
        for path: String,
        source: String,
        finish: (Int32) throws -> Finished,
        name: (String, Finished) throws -> Result
    ) throws -> Result {
        guard let (temporary, descriptor) = TemporaryOutput.create(in: folder, for: file) else {
            throw failure(path, source, errno)
        }
        defer { TemporaryOutput.forget(temporary) }
        do {
            let finished = try finishing(descriptor, path, source) {
                try writeAll(data, to: descriptor, path: path, source: source)
                return try finish(descriptor)
            }
            return try name(temporary, finished)
        } catch let stray as StrayedFile {
            throw stray.error
        } catch {
            unlink(temporary)
            throw error
        }
    }

    /// Prepares an open file to take the place of another: it gets that one's permissions, and is on the device before.
    static func prepare(_ descriptor: Int32, toReplace path: String, source: String) throws {
        var status = stat()
        if lstat(path, &status) == 0 {
            try takePermissions(of: status, for: descriptor, path: path, source: source)
        }
        guard fdatasync(descriptor) == 0 else { throw failure(path, source, errno) }
    }

    /// Gives an open file the owner, the permissions and the access control list of an earlier one. A process that may
    /// not give it to the other group does not give its own group what the other was allowed.
    private static func takePermissions(
        of status: stat,
        for descriptor: Int32,
        path: String,
        source: String
    ) throws {
        var mode = status.st_mode & 0o777
        var own = stat()
        guard fstat(descriptor, &own) == 0 else { throw failure(path, source, errno) }
        let isOfOtherGroup =
            (own.st_uid != status.st_uid || own.st_gid != status.st_gid)
            && fchown(descriptor, status.st_uid, status.st_gid) != 0 && own.st_gid != status.st_gid
        do {
            var list = try AccessControlList(of: path)
            if isOfOtherGroup { list?.removeGroup() }
            // With a list, the bits of the group are its mask: they come with it.
            if isOfOtherGroup, list == nil { mode &= ~0o070 }
            let isChanged = try AccessControlList.set(list, of: descriptor)
            if list != nil || !isChanged && own.st_mode & 0o777 == mode { return }
        } catch {
            throw failure(path, source, Int32(error.code))
        }
        guard fchmod(descriptor, mode) == 0 else { throw failure(path, source, errno) }
    }

    /// Makes a folder and its parent folders.
    ///
    /// - Throws: ``ImageError`` of the stage ``ImageError/Stage/store``.
    static func makeFolder(_ path: String, source: String) throws(ImageError) {
        let slash = UInt8(ascii: "/")
        let end = path.utf8.lastIndex { $0 != slash }.map { path.utf8.index(after: $0) } ?? path.startIndex
        let trimmed = String(path[..<end])
        guard !trimmed.isEmpty, !isFolder(path) else { return }
        if let last = trimmed.utf8.lastIndex(of: slash) {
            try makeFolder(String(trimmed[..<last]), source: source)
        }
        guard mkdir(trimmed, 0o777) != 0 else { return }
        let code = errno
        // Another process may have been faster.
        guard !isFolder(path) else { return }
        throw failure(trimmed, source, code == EEXIST ? ENOTDIR : code)
    }

    /// Makes a file in a folder and removes it.
    ///
    /// - Throws: ``ImageError`` of the stage ``ImageError/Stage/store`` where that is not possible.
    static func checkTakesFiles(_ folder: String) throws(ImageError) {
        guard let (path, descriptor) = TemporaryOutput.create(in: folder) else {
            throw failure(folder, "the results", errno)
        }
        close(descriptor)
        unlink(path)
        TemporaryOutput.forget(path)
    }

    /// Returns a path as it was typed, for an argument that names what is written.
    @Sendable static func path(_ text: String) throws -> String {
        guard !FilePath.isURL(text) else {
            throw ValidationError("“\(text)” is no path to write to: it is a URL, or its bytes are not UTF-8.")
        }
        return text
    }

    /// Returns whether anything is at `path`.
    static func isThere(_ path: String) -> Bool {
        var status = stat()
        return FilePath.withCString(path) { lstat($0, &status) } == 0
    }

    /// Returns whether a folder is at `path`, or with links at what that leads to.
    static func isFolder(_ path: String, followsLinks: Bool = true) -> Bool {
        var status = stat()
        let code = FilePath.withCString(path) { followsLinks ? stat($0, &status) : lstat($0, &status) }
        return code == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// Returns whether the file at a path has these bytes, and no others.
    static func isFile(_ path: String, of data: Data) -> Bool {
        var status = stat()
        // Its length first, so that a long file is not read for nothing.
        guard stat(path, &status) == 0, Int(status.st_size) == data.count else { return false }
        return (try? Data(contentsOf: URL(filePath: path))) == data
    }

    /// Returns whether two paths lead to the same file.
    static func isSameFile(_ path: String, _ other: String) -> Bool {
        var (first, second) = (stat(), stat())
        return stat(path, &first) == 0 && stat(other, &second) == 0
            && first.st_dev == second.st_dev && first.st_ino == second.st_ino
    }

    /// Returns whether two paths lead to the same file, or to none yet by the same path. Devices and pipes, to which
    /// several may write, are no files.
    static func leadToOneFile(_ path: String, _ other: String) -> Bool {
        var status = stat()
        guard stat(path, &status) == 0 else {
            return FilePath.absolute(path).utf8.elementsEqual(FilePath.absolute(other).utf8)
        }
        return status.st_mode & S_IFMT == S_IFREG && isSameFile(path, other)
    }

    /// Writes to the standard output.
    ///
    /// - Throws: ``ImageError`` of the stage ``ImageError/Stage/store``.
    static func writeToStandardOutput(_ data: Data, source: String) throws {
        try writeAll(data, to: STDOUT_FILENO, path: "the standard output", source: source)
    }

    private static func writeThrough(_ data: Data, to path: String, source: String) throws {
        if isStandardOutput(path) {
            return try writeAll(data, to: STDOUT_FILENO, path: path, source: source)
        }
        var descriptor = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC)
        if descriptor < 0, errno == ENOENT {
            // A link to a file that does not exist yet. Only then, since making is refused for another user's pipe.
            descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
        }
        guard descriptor >= 0 else { throw failure(path, source, errno) }
        try finishing(descriptor, path, source) {
            try writeAll(data, to: descriptor, path: path, source: source)
        }
    }

    /// Returns whether a path is "-", or leads to where the standard output goes, as `/dev/stdout` does: a file that is opened
    /// anew is written from its beginning, and what is printed comes into the image. `/dev/null` has nothing of either.
    static func isStandardOutput(_ path: String) -> Bool {
        if path == "-" { return true }
        var (named, output) = (stat(), stat())
        return stat(path, &named) == 0 && fstat(STDOUT_FILENO, &output) == 0
            && named.st_dev == output.st_dev && named.st_ino == output.st_ino
            && (named.st_mode & S_IFMT != S_IFCHR || isatty(STDOUT_FILENO) == 1)
    }

    /// Runs `body` and closes the file, which reports errors too: some file systems write no earlier.
    private static func finishing<Result>(
        _ descriptor: Int32,
        _ path: String,
        _ source: String,
        _ body: () throws -> Result
    ) throws -> Result {
        let result: Result
        do {
            result = try body()
        } catch {
            close(descriptor)
            throw error
        }
        // After an interruption, the descriptor is closed all the same.
        guard close(descriptor) == 0 || errno == EINTR else { throw failure(path, source, errno) }
        return result
    }

    private static func writeAll(_ data: Data, to descriptor: Int32, path: String, source: String) throws {
        try data.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = Glibc.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                if count < 0 {
                    guard FileCalls.mayRepeat(on: descriptor, for: POLLOUT) else { throw failure(path, source, errno) }
                    continue
                }
                rest = rest.dropFirst(count)
            }
        }
    }

    /// Returns whether an error says that no further file can be written either: the disk, or the user's part of it, is
    /// full, or it can only be read.
    static func isFinal(_ error: ImageError) -> Bool {
        guard error.stage == .store, case .file(_, let reason) = error.reason else { return false }
        return [ENOSPC, EDQUOT, EROFS].contains { String(cString: strerror($0)) == reason }
    }

    /// Returns the error for a value of `errno`.
    static func failure(_ path: String, _ source: String, _ code: Int32) -> ImageError {
        ImageError(stage: .store, reason: .file(path: path, reason: String(cString: strerror(code))), source: source)
    }
}
