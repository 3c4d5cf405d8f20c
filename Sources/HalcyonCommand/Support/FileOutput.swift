internal import FoundationEssentials
internal import Glibc
internal import Halcyon

/// Writes result files: whole or not at all.
enum FileOutput {
    /// Writes to a temporary file in the same folder and renames it. What was at `path` before is replaced, unless it
    /// is no regular file: a device or a pipe is written to.
    ///
    /// - Throws: ``ImageError`` of the stage ``ImageError/Stage/store``; then nothing is left behind.
    static func write(_ data: Data, to path: String, source: String) throws {
        if isSpecial(path) { return try writeThrough(data, to: path, source: source) }
        let folder = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let (temporary, descriptor) = try create(in: folder, for: path, source: source)
        var isKept = false
        defer { if !isKept { unlink(temporary) } }
        do {
            defer { close(descriptor) }
            try writeAll(data, to: descriptor, path: path, source: source)
        }
        guard rename(temporary, path) == 0 else { throw failure(path, source, errno) }
        isKept = true
    }

    /// Makes a file with a new name in a folder. Its permissions are those of a file that any program makes: the system
    /// takes out what the process's umask, or the folder's default access list, forbids. The umask is never read here, as
    /// that takes setting it, and another thread's file would get the permissions of that moment.
    private static func create(
        in folder: String,
        for path: String,
        source: String
    ) throws -> (path: String, descriptor: Int32) {
        while true {
            let name = "\(folder)/.halcyon-\(String(UInt64.random(in: .min ... .max), radix: 36))"
            let descriptor = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o666)
            if descriptor >= 0 { return (name, descriptor) }
            guard errno == EEXIST || errno == EINTR else { throw failure(path, source, errno) }
        }
    }

    /// Makes a folder and those above it.
    ///
    /// - Throws: ``ImageError`` of the stage ``ImageError/Stage/store``.
    static func makeFolder(_ path: String, source: String) throws(ImageError) {
        let end = path.lastIndex { $0 != "/" }.map { path.index(after: $0) } ?? path.startIndex
        let trimmed = path[..<end]
        guard !trimmed.isEmpty, !isFolder(path) else { return }
        if let slash = trimmed.lastIndex(of: "/") {
            try makeFolder(String(trimmed[..<slash]), source: source)
        }
        guard mkdir(String(trimmed), 0o777) != 0 else { return }
        let code = errno
        // Another process may have been faster.
        guard !isFolder(path) else { return }
        throw failure(String(trimmed), source, code == EEXIST ? ENOTDIR : code)
    }

    /// The same path, independent of the working folder.
    static func absolutePath(_ path: String) -> String {
        path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
    }

    /// Whether a folder is at `path`.
    static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// Whether something is at `path` that a file must not take the place of.
    private static func isSpecial(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && ![S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT)
    }

    private static func writeThrough(_ data: Data, to path: String, source: String) throws {
        let descriptor = open(path, O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(path, source, errno) }
        defer { close(descriptor) }
        try writeAll(data, to: descriptor, path: path, source: source)
    }

    private static func writeAll(_ data: Data, to descriptor: Int32, path: String, source: String) throws {
        try data.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = Glibc.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                if count < 0 {
                    if errno == EINTR { continue }
                    throw failure(path, source, errno)
                }
                rest = rest.dropFirst(count)
            }
        }
    }

    private static func failure(_ path: String, _ source: String, _ code: Int32) -> ImageError {
        ImageError(stage: .store, reason: .file(path: path, reason: String(cString: strerror(code))), source: source)
    }
}
