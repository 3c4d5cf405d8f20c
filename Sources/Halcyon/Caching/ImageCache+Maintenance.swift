public import HalcyonStore

extension ImageCache {
    /// An image on disk, as a listing shows it.
    public struct StoredImage: Sendable, Hashable {
        /// The cache key of the source: its URL, unless another was given.
        public let original: String
        /// A Boolean value that indicates whether this is the result of processing, and not the original.
        public let isProcessed: Bool
        /// A Boolean value that indicates whether it is for some requests only, such as those with one credential; see
        /// ``CacheScope``.
        public let hasScope: Bool
        /// Sizes and dates.
        public let listing: DiskCache.Listing

        init(_ listing: DiskCache.Listing) {
            let name = ParsedDiskKey(listing.key)
            original = name.original
            isProcessed = name.isProcessed
            hasScope = name.hasScope
            self.listing = listing
        }
    }

    /// The folder of the disk cache.
    package var diskFolder: String { disk.cache.folder }

    /// Returns the statistics of the disk cache.
    ///
    /// - Throws: ``ImageError`` of the stage ``ImageError/Stage/store``, as all functions here.
    public func diskStatistics() async throws -> DiskCache.Statistics {
        try await disk.perform { try $0.statistics() }
    }

    /// Returns the images on disk, most recently used first.
    ///
    /// - Parameter limit: The maximum number of entries that are listed. Default: no limit.
    public func storedImages(limit: Int = .max) async throws -> [StoredImage] {
        try await disk.perform { try $0.entries(limit: limit) }.map(StoredImage.init)
    }

    /// Checks every body on disk against its checksum, and the index against the folder.
    ///
    /// - Parameter repair: If `true`, damaged entries are removed.
    public func verifyDisk(repair: Bool) async throws -> DiskCache.VerificationReport {
        try await disk.perform { try $0.verify(repair: repair) }
    }

    /// Removes expired entries from disk, then the least recently used until at most this many bytes are left.
    public func trimDisk(to byteCount: Int) async throws {
        try await disk.perform { disk in
            _ = try disk.removeExpired()
            _ = try disk.trim(to: byteCount)
        }
    }

    /// Removes expired images from memory and disk, and what terminated processes left on disk.
    ///
    /// - Returns: The number of entries removed from disk.
    @discardableResult
    public func removeExpired() async throws -> Int {
        memory.removeExpired()
        return try await disk.perform { try $0.removeExpired() }
    }

    /// The state of the cache in memory.
    public var memoryStatistics: MemoryCacheStatistics { memory.statistics }

    /// The maximum number of bytes of pixels in memory. Lowering it evicts at once.
    public var memoryCostLimit: Int {
        get { memory.costLimit }
        set { memory.costLimit = newValue }
    }

    /// The maximum number of images in memory. Lowering it evicts at once. Default: no limit.
    public var memoryCountLimit: Int {
        get { memory.countLimit }
        set { memory.countLimit = newValue }
    }

    /// The interval at which expired images are removed from memory while there are any; `nil`: never. A new interval
    /// begins at once. Default: 2 minutes.
    public var memorySweepInterval: Duration? {
        get { memory.sweepInterval }
        set { memory.sweepInterval = newValue }
    }

    /// Sets the maximum number of bytes that the disk cache holds. A lower limit is enforced at once.
    public func setDiskSizeLimit(_ byteCount: Int) async throws {
        try await disk.perform { try $0.setSizeLimit(byteCount) }
    }

    /// Evicts images from memory until their pixels take at most this many bytes; the limit stays. An evicted image
    /// that is still held elsewhere is found again while it is.
    public func trimMemory(to byteCount: Int = 0) {
        memory.trim(to: byteCount)
    }

    /// The name of an image on disk, in readable form.
    public struct StoredName: Sendable, Hashable {
        /// The cache key of the source: its URL, unless another was given.
        public let original: String
        /// A Boolean value that indicates whether it names the result of processing, and not the original. Several
        /// results may have the same name.
        public let isProcessed: Bool

        /// Creates a name, for tests of code that observes removals.
        public init(original: String, isProcessed: Bool) {
            self.original = original
            self.isProcessed = isProcessed
        }
    }

    /// The removals from disk by this cache from now on, with their reasons, in order; each call gives a sequence of
    /// its own, which ends with the cache.
    public var diskRemovals: some AsyncSequence<CacheRemoval<StoredName>, Never> & Sendable {
        disk.removals.map { removal in
            let name = ParsedDiskKey(removal.key)
            let key = StoredName(original: name.original, isProcessed: name.isProcessed)
            return CacheRemoval<StoredName>(key: key, reason: removal.reason)
        }
    }
}
