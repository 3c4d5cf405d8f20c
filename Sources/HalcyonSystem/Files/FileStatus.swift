public import FoundationEssentials

/// The properties of a file or folder in its file system.
public struct FileStatus: Sendable, Hashable {
    /// The kind of thing that a path leads to. Links are not followed.
    public enum Kind: Sendable, Hashable {
        /// A regular file.
        case file
        /// A folder.
        case folder
        /// A symbolic link, a socket or another special file.
        case other
    }

    /// The kind of the file.
    public let kind: Kind
    /// The length in bytes.
    public let size: Int
    /// The number of names it has; 0 once it was removed while open.
    public let linkCount: Int
    /// The number that tells it from every other file of its device that exists at the same time.
    public let inode: UInt64
    /// The number that tells its device from the others.
    public let device: UInt64
    /// The time at which its content last changed.
    public let modifiedAt: Date
    /// The number of the user it belongs to; nil if the file system has no users.
    public let owner: UInt32?
    /// The permissions of its users: the lower twelve bits of `st_mode`; nil if the file system has no permissions.
    public let permissions: UInt16?

    /// Makes a status from its parts.
    public init(
        kind: Kind,
        size: Int,
        linkCount: Int,
        inode: UInt64,
        device: UInt64,
        modifiedAt: Date,
        owner: UInt32? = nil,
        permissions: UInt16? = nil
    ) {
        self.kind = kind
        self.size = size
        self.linkCount = linkCount
        self.inode = inode
        self.device = device
        self.modifiedAt = modifiedAt
        self.owner = owner
        self.permissions = permissions
    }
}
