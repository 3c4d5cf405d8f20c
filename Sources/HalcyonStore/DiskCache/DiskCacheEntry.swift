public import FoundationEssentials

extension DiskCache {
    /// What a look-up found: a copy that stays valid whatever happens to the cache.
    public struct Entry: Sendable, Hashable {
        /// The stored bytes.
        public let body: Data
        /// The bytes stored beside the body.
        public let metadata: Data
        /// When it was stored.
        public let storedAt: Date
        /// When it expires; nil is never. If the look-up extended it, this is the extended date.
        public let expiresAt: Date?
        /// When it was last looked up before, or stored.
        public let lastAccess: Date
        /// Tells it from what is stored under its key before or after.
        public let version: Version

        init(_ row: DiskIndexRow, _ body: Data, expiresAt: DiskTime) {
            self.body = body
            metadata = row.metadata
            storedAt = row.storedAt.date ?? .distantFuture
            self.expiresAt = expiresAt.date
            lastAccess = row.lastAccess.date ?? .distantFuture
            version = row.version
        }
    }

    /// One state of an entry: a store, and each change of its metadata, makes another.
    public struct Version: Sendable, Hashable {
        let storedAt: DiskTime
        /// Of body and metadata.
        let checksum: Int64
    }

    /// What a listing says about an entry.
    public struct Listing: Sendable, Hashable {
        /// Its key.
        public let key: String
        /// The length of its body in bytes.
        public let bodySize: Int
        /// The length of its metadata in bytes.
        public let metadataSize: Int
        /// Whether the body lies in the index and not in a file of its own.
        public let isInline: Bool
        /// When it was stored.
        public let storedAt: Date
        /// When it expires; nil is never.
        public let expiresAt: Date?
        /// When it was last looked up, or stored.
        public let lastAccess: Date
    }

    /// Counts of a cache.
    public struct Statistics: Sendable, Hashable {
        /// The number of entries, expired ones included.
        public let count: Int
        /// What counts against the size limit: the bytes of all bodies, metadata and keys.
        public let bytes: Int
        /// Entries whose body lies in the index.
        public let inlineCount: Int
        /// Entries whose body is a file.
        public let fileCount: Int
        /// Entries whose time is over and that were not removed yet.
        public let expiredCount: Int
        /// The size limit in bytes.
        public let sizeLimit: Int
    }

    /// What ``DiskCache/verify(repair:)`` found.
    public struct VerificationReport: Sendable, Hashable {
        /// The number of entries checked.
        public var checkedCount = 0
        /// The bytes of the bodies checked.
        public var checkedBytes = 0
        /// Keys whose body is missing, cut short or altered, with the reason.
        public var damaged: [String: String] = [:]
        /// Files in the cache's folder that belong to no entry and no process.
        public var orphans: [String] = []
        /// Whether the counts kept in the index agree with its entries.
        public var hasExactTotals = true
        /// What SQLite says about the index itself; empty if it is sound.
        public var indexProblems: [String] = []
        /// Whether what was found was also removed or corrected.
        public var isRepaired = false

        /// Whether nothing was wrong.
        public var isSound: Bool {
            damaged.isEmpty && orphans.isEmpty && hasExactTotals && indexProblems.isEmpty
        }
    }

    /// How safe a stored entry is from a crash and from a loss of power.
    public enum Durability: Sendable, Hashable, CaseIterable {
        /// The entry waits in memory, where this cache object finds it, for a common transaction: after 128 entries,
        /// 1 MiB, 32 files, 16 MiB of files or a second (looked at by the next store), or a ``DiskCache/flush()``. Until
        /// then a crash of the process loses it, and other processes do not see it. A body beyond the inline limit is
        /// with the system before. What a ``DiskCache/Writer`` has written to a file is stored as with ``normal``.
        case none
        /// It is with the system when the call returns: a crash of the process never loses it, a loss of power may.
        case normal
        /// It is on the device when the call returns.
        case full
    }
}
