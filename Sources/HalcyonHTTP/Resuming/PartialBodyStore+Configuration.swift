internal import FoundationEssentials
public import HalcyonSystem

extension PartialBodyStore {
    /// The settings of a store of partial bodies. Values, given once.
    public struct Configuration: Sendable {
        /// The folder, an absolute path. It is created with its parents when something is kept, for this user alone.
        public var folder: String
        /// The bytes that may be kept, of all bodies together. A longer body is never kept. Default: 512 MiB.
        public var maximumBytes = 512 << 20
        /// The number of bodies that may be kept; the least recently written ones go first. Default: 1,024.
        public var maximumEntries = 1_024
        /// The time for which a body is kept after its last byte came, in seconds. Default: 7 days.
        public var lifetime: Double = 7 * 86_400
        /// The number of bytes below which a body is not kept. Default: 16 KiB.
        public var minimumBytes = 16 << 10
        /// The calls to the file system. Default: the machine's.
        public var fileSystem: any FileSystem = POSIXFileSystem()
        /// The source of the date. Default: the machine's.
        public var clock = StoreClock.system

        /// The location that tells which folders are checked before they are used; tests replace it.
        package var location = CacheLocation()

        /// The default folder: `partial` in the folder of the user's caches (`$XDG_CACHE_HOME/halcyon`, or
        /// `~/.cache/halcyon`).
        public static var defaultFolder: String { CacheLocation().folder(named: "partial") }

        /// The settings of a store in `folder`. Default: ``defaultFolder``.
        public init(folder: String = Self.defaultFolder) {
            self.folder = folder
        }
    }
}
