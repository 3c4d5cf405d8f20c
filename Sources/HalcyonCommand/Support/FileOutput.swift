internal import FoundationEssentials
internal import Glibc
internal import Halcyon

/// Writes result files: whole or not at all.
enum FileOutput {
    /// Writes to a temporary file in the same folder and renames it. What was at `path` before is replaced.
    ///
    /// - Throws: ``ImageError`` of the stage ``ImageError/Stage/store``; then nothing is left behind.
    static func write(_ data: Data, to path: String, source: String) throws {
        let folder = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        var template = Array("\(folder)/.halcyon-XXXXXX".utf8CString)
        let descriptor = mkstemp(&template)
        guard descriptor >= 0 else { throw failure(path, source) }
        var isKept = false
        defer { if !isKept { unlink(template) } }
        do {
            defer { close(descriptor) }
            try writeAll(data, to: descriptor, path: path, source: source)
            // What mkstemp makes is for the owner alone; a result file gets the usual permissions.
            let mask = umask(0)
            umask(mask)
            guard fchmod(descriptor, 0o666 & ~mask) == 0 else { throw failure(path, source) }
        }
        guard rename(template, path) == 0 else { throw failure(path, source) }
        isKept = true
    }

    /// Makes a folder and those above it.
    ///
    /// - Throws: ``ImageError`` of the stage ``ImageError/Stage/store``.
    static func makeFolder(_ path: String) throws {
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        } catch {
            throw ImageError(stage: .store, reason: .file(path: path, reason: "\(error)"), source: path)
        }
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

    private static func writeAll(_ data: Data, to descriptor: Int32, path: String, source: String) throws {
        try data.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = Glibc.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                if count < 0 {
                    if errno == EINTR { continue }
                    throw failure(path, source)
                }
                rest = rest.dropFirst(count)
            }
        }
    }

    private static func failure(_ path: String, _ source: String) -> ImageError {
        ImageError(stage: .store, reason: .file(path: path, reason: String(cString: strerror(errno))), source: source)
    }
}
