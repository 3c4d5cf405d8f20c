/// The error for a file with secrets that cannot be read or written.
public struct PrivateFileError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The reason for the error.
    public enum Reason: Sendable, Hashable {
        /// The file belongs to another user, others may write it, or it is no plain file.
        case notPrivate
        /// The file has more bytes than it could have.
        case tooLong
        /// A call to the system failed; in its words.
        case system(String)
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
        case .tooLong: "\(path): longer than such a file can be; name another, or remove it"
        case .system(let text): "\(path): \(text)"
        }
    }
}
