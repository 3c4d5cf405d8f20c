public import FoundationEssentials

/// What a file system knows about a file or folder.
public struct FileStatus: Sendable, Hashable {
    /// What a path leads to. Links are not followed.
    public enum Kind: Sendable, Hashable {
        /// A regular file.
        case file
        /// A folder.
        case folder
        /// A symbolic link, a socket or another special file.
        case other
    }

    /// What it is.
    public let kind: Kind
    /// Its length in bytes.
    public let size: Int
    /// The number of names it has; 0 once it was removed while open.
    public let linkCount: Int
    /// Tells it from every other file of its device that exists at the same time.
    public let inode: UInt64
    /// Tells its device from the others.
    public let device: UInt64
    /// When its content last changed.
    public let modifiedAt: Date

    /// Makes a status from its parts.
    public init(kind: Kind, size: Int, linkCount: Int, inode: UInt64, device: UInt64, modifiedAt: Date) {
        self.kind = kind
        self.size = size
        self.linkCount = linkCount
        self.inode = inode
        self.device = device
        self.modifiedAt = modifiedAt
    }
}
