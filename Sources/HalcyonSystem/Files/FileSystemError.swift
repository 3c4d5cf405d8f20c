internal import Glibc

/// The reason for which a call to the file system failed: an error number of POSIX.
public struct FileSystemError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The value of `errno`.
    public let code: Int

    /// Wraps a value of `errno`.
    public init(code: Int) {
        self.code = code
    }

    /// The system's words for the code, in the locale of the process.
    public var description: String {
        var buffer = [CChar](repeating: 0, count: 256)
        guard strerror_r(Int32(truncatingIfNeeded: code), &buffer, buffer.count) == 0 else { return "error \(code)" }
        return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// The file or folder does not exist.
    public static let notFound = FileSystemError(code: Int(ENOENT))
    /// The file or folder exists already.
    public static let exists = FileSystemError(code: Int(EEXIST))
    /// The device is full.
    public static let noSpace = FileSystemError(code: Int(ENOSPC))
    /// The device failed.
    public static let inputOutput = FileSystemError(code: Int(EIO))
    /// A signal interrupted the call before it did anything.
    public static let interrupted = FileSystemError(code: Int(EINTR))
    /// The file system has no such feature.
    public static let notSupported = FileSystemError(code: Int(ENOTSUP))
    /// The path leads to a folder, not to a file.
    public static let isFolder = FileSystemError(code: Int(EISDIR))
    /// The process has as many open files as it may.
    public static let tooManyOpenFiles = FileSystemError(code: Int(EMFILE))
    /// The user may not make this call.
    public static let notPermitted = FileSystemError(code: Int(EPERM))
    /// A component of the path is no folder.
    public static let notFolder = FileSystemError(code: Int(ENOTDIR))
}
