internal import FoundationEssentials

extension DiskCache {
    /// The configuration of a disk cache, given once.
    public struct Configuration: Sendable {
        /// The folder that holds the cache. It is created with its parents, for this user alone.
        public var folder: String
        /// The bytes of bodies, metadata and keys that the cache may hold. Default: 1 GiB, or a tenth of the space that
        /// is free or taken by the cache itself, if that is less, but at least 16 MiB; it follows the space within a
        /// minute.
        public var sizeLimit: Int?
        /// The part of the limit down to which entries are evicted once it is reached, 0…1. Default 0.9.
        public var lowWaterMark = 0.9
        /// The lifetime of an entry stored without its own. Default 7 days.
        public var expiration = Expiration.days(7)
        /// The interval at which expired entries are removed in the background, a few at a time, while the cache is
        /// open; nil is never. Default 1 hour; the first time is a second after the cache was opened. The first of
        /// these, and one in 24, also remove files without an entry. A cache that is closed or released before looks at
        /// 16 files then.
        public var sweepInterval: Duration? = .seconds(3_600)
        /// The clock that the background removal sleeps by. Default: the system's.
        public var sweepClock: any Clock<Duration> = ContinuousClock()
        /// The largest body kept in the index, in bytes; larger ones are files. Default 16 KiB, where reading either
        /// takes the same time.
        public var inlineLimit = 16_384
        /// The number of entries whose uses are buffered before their times are written; uses older than a minute are
        /// written as well. If there are more, those that change less than a minute of recency are dropped. Default
        /// 16,384: writing one takes longer than a look-up, and an entry used twice meanwhile is written once.
        public var touchLimit = 16_384
        /// The time that a call waits for another process that writes, in milliseconds. Default 5,000. Once a call has
        /// waited in vain, later ones do not wait, until one finds that the other process has gone on: it may be
        /// stopped.
        public var busyTimeout = 5_000
        /// The most memory that the pages of the index take in each connection to it, in bytes: one that writes, and
        /// one for each look-up at the same time. Default 16 MiB, as the 1,000 entries used most among a million lie on
        /// as many pages.
        public var indexMemoryLimit = 16 << 20
        /// The most pages of 4 KiB that the index may have; nil is no limit. A store above it fails as on a full disk.
        public var indexPageLimit: Int?
        /// The bytes of the index's log above which nothing is stored while another process keeps the log from being begun
        /// anew: one that is stopped while it reads. Default: 64 MiB.
        package var indexLogLimit = 64 << 20
        /// A Boolean value that indicates whether the folder is only read, as one that came with a program. Nothing in
        /// it is changed, not even the times of use, and storing and removing throw. Unless other processes write it,
        /// the folder may lie on a read-only file system. Default false.
        public var isReadOnly = false
        /// The calls to the file system.
        public var fileSystem: any FileSystem = POSIXFileSystem()
        /// The clock of dates and expiry. Default: the system's.
        public var clock = StoreClock.system
        /// Called with the events that the cache handled by itself, on the thread that met them, with no lock held.
        public var onEvent: (@Sendable (DiskCacheEvent) -> Void)?
        /// The folders that are checked before they are used; tests replace it.
        package var location = CacheLocation()
        /// The hash of a key; tests replace it to make keys collide.
        package var keyHash: @Sendable (UnsafeRawBufferPointer) -> UInt64 = { Checksum.hash(of: $0) }

        /// The settings of a cache in `folder`, an absolute path.
        public init(folder: String) {
            self.folder = folder
        }

        /// The settings of the cache called `name`, in ``defaultFolder(named:)``.
        public init(name: String) {
            self.init(folder: Self.defaultFolder(named: name))
        }

        /// `$XDG_CACHE_HOME/halcyon/NAME`; else `.cache/halcyon/NAME` in `$HOME`, or in the home folder that the user
        /// database names (XDG Base Directory Specification 0.8).
        ///
        /// A user without a home has `/tmp/halcyon-USER/NAME`. A cache there is used only if that folder belongs to the
        /// user, and no one else may read or write it; otherwise its calls throw, and its look-ups find nothing.
        ///
        /// A slash in the name, and a name of dots alone, are replaced, so that it cannot lead elsewhere.
        public static func defaultFolder(named name: String) -> String {
            CacheLocation().folder(named: name)
        }
    }
}
