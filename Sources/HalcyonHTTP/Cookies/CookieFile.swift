internal import Glibc

/// A file with the cookies of one user, in Netscape's format, which curl and wget read too.
///
/// It is the jar of a transport (``CurlTransport/Configuration/cookies``), and of one at a time: each writes the file as a
/// whole. Only its user may read it.
public struct CookieFile: Sendable, Hashable {
    /// The absolute path of the file.
    public let path: String

    /// Makes the file and the folders above it, unless they are there.
    ///
    /// Blocks for as long as that takes.
    ///
    /// - Parameter path: An absolute path. The file of another user, one that others may write, and a symbolic link are
    ///   refused: others could plant a session of theirs.
    /// - Throws: ``CookieFileError``.
    public init(_ path: String) throws(CookieFileError) {
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
        // libcurl gives the file that replaces this one the same permissions.
        guard fchmod(descriptor, 0o600) == 0 else { throw CookieFileError(path: path, reason: .system(errno)) }
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
        case .system(let code): "\(path): \(String(cString: strerror(code)))"
        }
    }
}
