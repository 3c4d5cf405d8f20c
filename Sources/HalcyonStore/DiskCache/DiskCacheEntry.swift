public import FoundationEssentials

extension DiskCache {
    /// The result of a look-up: a copy that stays valid whatever happens to the cache.
    public struct Entry: Sendable, Hashable {
        /// The stored bytes.
        public let body: Data
        /// The bytes stored beside the body.
        public let metadata: Data
        /// The date at which it was stored.
        public let storedAt: Date
        /// The date at which it expires; nil is never. If the look-up extended it, this is the extended date.
        public let expiresAt: Date?
        /// The date at which it was last looked up before, or stored.
        public let lastAccess: Date
        /// The version, which differs from those of all entries stored under its key before or after.
        public let version: Version
        /// The XXH3 of the body, 64 bits.
        package let bodyHash: UInt64

        init(_ row: DiskIndexRow, _ body: Data, _ bodyHash: UInt64, expiresAt: DiskTime) {
            self.body = body
            self.bodyHash = bodyHash
            metadata = row.metadata
            storedAt = row.storedAt.date ?? .distantFuture
            self.expiresAt = expiresAt.date
            lastAccess = row.lastAccess.date ?? .distantFuture
            version = row.version
        }
    }

    /// One state of an entry: a store, and each change of its metadata, makes another.
    public typealias Version = TierVersion

    /// The description of an entry in a listing.
    public struct Listing: Sendable, Hashable {
        /// Its key.
        public let key: String
        /// The length of its body in bytes.
        public let bodySize: Int
        /// The length of its metadata in bytes.
        public let metadataSize: Int
        /// A Boolean value that indicates whether the body lies in the index and not in a file of its own.
        public let isInline: Bool
        /// The date at which it was stored.
        public let storedAt: Date
        /// The date at which it expires; nil is never.
        public let expiresAt: Date?
        /// The date at which it was last looked up, or stored.
        public let lastAccess: Date
    }

    /// Counts of a cache.
    public struct Statistics: Sendable, Hashable {
        /// The number of entries, expired ones included.
        public let count: Int
        /// The number of bytes that counts against the size limit: of all bodies, metadata and keys.
        public let bytes: Int
        /// The number of entries whose body lies in the index.
        public let inlineCount: Int
        /// The number of entries whose body is a file.
        public let fileCount: Int
        /// The number of entries that have expired and were not removed yet.
        public let expiredCount: Int
        /// The size limit in bytes.
        public let sizeLimit: Int
    }

    /// The result of ``DiskCache/verify(repair:)``.
    public struct VerificationReport: Sendable, Hashable {
        /// The number of entries checked.
        public var checkedCount = 0
        /// The bytes of the bodies checked.
        public var checkedBytes = 0
        /// Keys whose body is missing, cut short or altered, with the reason.
        public var damaged: [String: String] = [:]
        /// Files in the cache's folder that belong to no entry and no process.
        public var orphans: [String] = []
        /// A Boolean value that indicates whether the counts kept in the index agree with its entries.
        public var hasExactTotals = true
        /// The problems that SQLite finds in the index itself; empty if it is sound.
        public var indexProblems: [String] = []
        /// A Boolean value that indicates whether the problems were also corrected.
        public var isRepaired = false

        /// A Boolean value that indicates whether no problem was found.
        public var isSound: Bool {
            damaged.isEmpty && orphans.isEmpty && hasExactTotals && indexProblems.isEmpty
        }
    }

    /// The safety of a stored entry from a crash and from a loss of power.
    public enum Durability: Sendable, Hashable, CaseIterable {
        /// The entry waits in memory, where this cache object finds it, for a common transaction: after 128 entries,
        /// 1 MiB, 32 files, 16 MiB of files or a second (looked at by the next store), or a ``DiskCache/flush()``.
        /// Until then a crash of the process loses it, and other processes do not see it. A body beyond the inline
        /// limit is with the system before.
        case none
        /// It is with the system when the call returns: a crash of the process never loses it, a loss of power may.
        case normal
        /// It is on the device when the call returns.
        case full
    }
}
