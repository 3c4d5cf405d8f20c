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
        var template = Array("\(folder)/.halcyon-XXXXXX".utf8CString)
        let descriptor = mkstemp(&template)
        guard descriptor >= 0 else { throw failure(path, source, errno) }
        var isKept = false
        defer { if !isKept { unlink(template) } }
        do {
            defer { close(descriptor) }
            try writeAll(data, to: descriptor, path: path, source: source)
            // What mkstemp makes is for the owner alone; a result file gets the usual permissions.
            let mask = umask(0)
            umask(mask)
            guard fchmod(descriptor, 0o666 & ~mask) == 0 else { throw failure(path, source, errno) }
        }
        guard rename(template, path) == 0 else { throw failure(path, source, errno) }
        isKept = true
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
