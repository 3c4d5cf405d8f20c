/// An open file of a ``FileSystem``. It means something only to the file system that gave it.
public struct FileDescriptor: Sendable, Hashable {
    /// The number of the open file.
    public let rawValue: Int

    /// Wraps the number of an open file.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }
}
