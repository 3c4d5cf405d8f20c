/// An error of a disk cache.
public struct DiskCacheError: Error, Sendable, Hashable, CustomStringConvertible {
    /// A kind of operation.
    public enum Operation: String, Sendable, Hashable {
        /// Creating or opening the folder or the index.
        case open
        /// Looking up or reading an entry.
        case read
        /// Storing an entry.
        case write
        /// Removing entries.
        case remove
        /// Counting, listing, verifying or trimming.
        case maintain
    }

    /// The operation that failed.
    public let operation: Operation
    /// The file or folder of the operation.
    public let path: String
    /// The value of `errno`, or 0 if the cause was not an error of the system.
    public let code: Int
    /// The result code of SQLite, or 0.
    public let indexCode: Int
    /// The cause, in words.
    public let reason: String

    init(_ operation: Operation, path: String, code: Int = 0, indexCode: Int = 0, reason: String) {
        self.operation = operation
        self.path = path
        self.code = code
        self.indexCode = indexCode
        self.reason = reason
    }

    init(_ operation: Operation, path: String, _ error: FileSystemError) {
        self.init(operation, path: path, code: error.code, reason: error.description)
    }

    init(_ operation: Operation, path: String, _ error: SQLiteError) {
        self.init(
            operation,
            path: path,
            code: Int(error.systemCode),
            indexCode: Int(error.code),
            reason: error.message
        )
    }

    /// One sentence for the user.
    public var description: String {
        let action =
            switch operation {
            case .open: "The cache could not be opened"
            case .read: "The cache could not be read"
            case .write: "The cache could not store an entry"
            case .remove: "The cache could not remove entries"
            case .maintain: "The cache could not be maintained"
            }
        return "\(action): \(path): \(reason)"
    }
}
