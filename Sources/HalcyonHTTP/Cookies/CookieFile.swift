internal import Glibc
internal import HalcyonSystem

/// A file with the cookies of one user, in Netscape's format, which curl and wget read too.
///
/// It is the jar of transports (``CurlTransport/Configuration/cookies``), also of several processes at a time: each reads
/// it once, and adds its changes to what the file has by then. Only its user may read it.
public struct CookieFile: Sendable, Hashable {
    /// The absolute path of the file; as it was given, where the path of the working folder is not UTF-8.
    public let path: String

    /// Makes the file and the folders above it, unless they are there.
    ///
    /// Blocks for as long as that takes.
    ///
    /// - Parameter path: A path, from the working folder if it does not begin with "/". The file of another user, one that
    ///   others may write, and a symbolic link are refused: others could plant a session of theirs. So is a file of
    ///   anything else: it has neither the comment that begins a jar nor the line of a cookie, and is left as it was.
    /// - Throws: ``CookieFileError``.
    public init(_ path: String) throws(CookieFileError) {
        let path = FilePath.absoluteForSystem(path)
        self.path = path
        Self.makeFolder(above: path)
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
        guard descriptor >= 0 else {
            let reason = errno == ELOOP || errno == EISDIR ? .notPrivate : CookieFileError.Reason.system(errno)
            throw CookieFileError(path: path, reason: reason)
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(),
            status.st_mode & 0o022 == 0
        else { throw CookieFileError(path: path, reason: .notPrivate) }
        guard Self.isJar(descriptor) else { throw CookieFileError(path: path, reason: .notCookies) }
        guard fchmod(descriptor, 0o600) == 0 else { throw CookieFileError(path: path, reason: .system(errno)) }
    }

    /// Returns whether an open file is empty, or has a jar's comment at its beginning or a cookie's line in its first 64 kB.
    private static func isJar(_ descriptor: Int32) -> Bool {
        var bytes = [UInt8](repeating: 0, count: 64 << 10)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        guard count > 0 else { return count == 0 }
        let lines = bytes[..<count].split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        // As curl, wget, Python and browsers write it, with or without "Netscape".
        let first = String(decoding: lines[0], as: UTF8.self).lowercased()
        return first.hasPrefix("#") && first.contains("http cookie file") || lines.contains(where: isCookie)
    }

    /// Domain, subdomains, path, secure, expiry, name and value; the last may be empty.
    private static func isCookie(_ line: ArraySlice<UInt8>) -> Bool {
        let fields = line.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false)
        guard (6...7).contains(fields.count) else { return false }
        return [fields[1], fields[3]].allSatisfy {
            ["true", "false"].contains(String(decoding: $0, as: UTF8.self).lowercased())
        }
    }

    /// Writes the lines of a jar in the place of the file, unless another process does, or has locked it for another reason.
    ///
    /// - Parameters:
    ///   - isLast: `true` to wait for that, at most a second, and write then in any case. Default: `false`.
    ///   - lines: Called while no other process writes.
    /// - Returns: `false` if that failed; the file is then as it was.
    func write(isLast: Bool = false, _ lines: () -> [[CChar]]) -> Bool {
        let end = ContinuousClock.now + .seconds(1)
        while true {
            let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
            guard descriptor >= 0 else { return false }
            defer { close(descriptor) }
            // Where the file system has no locks, as if there were no other process.
            while (try? POSIXFileSystem().lock(FileDescriptor(rawValue: Int(descriptor)), waits: false)) == false {
                guard isLast else { return false }
                if ContinuousClock.now >= end { break }
                usleep(10_000)
            }
            var (locked, named) = (stat(), stat())
            guard fstat(descriptor, &locked) == 0 else { return false }
            // The one that had the lock has put another file in its place.
            guard lstat(path, &named) == 0, named.st_ino == locked.st_ino, named.st_dev == locked.st_dev else {
                continue
            }
            return replace(lines())
        }
    }

    /// Writes beside the file first, so that it is whole at every moment.
    private func replace(_ lines: [[CChar]]) -> Bool {
        var bytes = Array("# Netscape HTTP Cookie File\n".utf8)
        for line in lines {
            bytes += line.dropLast().map { UInt8(bitPattern: $0) }
            bytes.append(UInt8(ascii: "\n"))
        }
        let temporary = "\(path).\(UInt64.random(in: .min ... .max))"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        let isWritten = bytes.withUnsafeBytes { bytes in
            (try? POSIXFileSystem().writeAll(FileDescriptor(rawValue: Int(descriptor)), from: bytes)) != nil
        }
        guard isWritten, fsync(descriptor) == 0, rename(temporary, path) == 0 else {
            unlink(temporary)
            return false
        }
        return true
    }

    /// Makes the folder of a file and its parent folders; a failure shows when the file is made there.
    private static func makeFolder(above path: String) {
        guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return }
        let folder = String(path[..<slash])
        guard mkdir(folder, 0o700) != 0, errno == ENOENT else { return }
        makeFolder(above: folder)
        mkdir(folder, 0o700)
    }
}

/// The error for a file of cookies that cannot be used.
public struct CookieFileError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The reason for the error.
    public enum Reason: Sendable, Hashable {
        /// The file belongs to another user, others may write it, or it is no plain file.
        case notPrivate
        /// The file has something else than cookies in Netscape's format.
        case notCookies
        /// A call to the system failed, with this `errno`.
        case system(Int32)
    }

    /// The path of the file.
    public let path: String
    /// The reason for the error.
    public let reason: Reason

    init(path: String, reason: Reason) {
        self.path = path
        self.reason = reason
    }

    /// A sentence that names the file, the reason, and what can be done.
    public var description: String {
        switch reason {
        case .notPrivate:
            "\(path): not a plain file of this user that others cannot write; make it one (chmod 600), or name another"
        case .notCookies:
            "\(path): no cookies in Netscape's format, so it is left as it is; name such a file, or a new one"
        case .system(let code): "\(path): \(String(cString: strerror(code)))"
        }
    }
}
