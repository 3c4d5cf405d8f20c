public import HalcyonStore

extension ImageCache {
    /// An image on disk, as a listing shows it.
    public struct StoredImage: Sendable, Hashable {
        /// The cache key of the source: its URL, unless another was given.
        public let original: String
        /// Whether this is the result of processing, and not the original.
        public let isProcessed: Bool
        /// Whether it is for some requests only, such as those with one credential; see ``CacheScope``.
        public let hasScope: Bool
        /// Sizes and dates.
        public let listing: DiskCache.Listing

        fileprivate init(_ name: ParsedDiskKey, _ listing: DiskCache.Listing) {
            original = name.original
            isProcessed = name.isProcessed
            hasScope = name.hasScope
            self.listing = listing
        }
    }

    /// Counts of the disk cache.
    ///
    /// - Throws: ``ImageError`` of the stage ``ImageError/Stage/store``, as all functions here.
    public func diskStatistics() async throws -> DiskCache.Statistics {
        try await disk.perform { try $0.statistics() }
    }

    /// What is on disk, most recently used first.
    ///
    /// - Parameter limit: The most entries that are listed. Default: no limit.
    public func storedImages(limit: Int = .max) async throws -> [StoredImage] {
        try await disk.perform { try $0.entries(limit: limit) }.map { listing in
            let name = ParsedDiskKey(listing.key)
            return StoredImage(name, listing)
        }
    }

    /// Checks every body on disk against its checksum, and the index against the folder.
    ///
    /// - Parameter repair: Whether what is damaged is removed.
    public func verifyDisk(repair: Bool) async throws -> DiskCache.VerificationReport {
        try await disk.perform { try $0.verify(repair: repair) }
    }

    /// Removes what has expired, then the least recently used until at most this many bytes are left.
    public func trimDisk(to byteCount: Int) async throws {
        try await disk.perform { disk in
            _ = try disk.removeExpired()
            _ = try disk.trim(to: byteCount)
        }
    }

    /// Removes everything from disk. What is being loaded or stored is not there afterwards.
    public func removeAllFromDisk() async throws {
        try await remove(.everything, from: .disk) { try $0.removeAll() }
    }

    /// Removes from memory and disk all originals whose cache key begins with `prefix`, such as the URL of a server or a
    /// folder, with all that was made of them. What is being loaded or stored of that is in neither afterwards. Does not look
    /// at other entries on disk.
    ///
    /// - Returns: How many entries there were on disk.
    @discardableResult
    public func removeAll(originalsBeginningWith prefix: String) async throws -> Int {
        let key = ParsedDiskKey.escaped(prefix)
        return try await remove(
            .names(beginningWith: key),
            from: .all,
            inMemory: { memory.removeAll { $0.originalBegins(with: prefix) } }
        ) { try $0.removeEntries(prefix: key) }
    }

    /// Removes from disk what `isUnwanted` picks. It is asked about what is being stored as well, and not about what is still
    /// being loaded. Complexity: O(n) in the number of entries.
    ///
    /// - Returns: How many entries were removed.
    @discardableResult
    public func removeFromDisk(where isUnwanted: @escaping @Sendable (StoredImage) -> Bool) async throws -> Int {
        await disk.flush()
        return try await remove(.everything, from: []) { disk in
            try disk.removeEntries { listing in
                let name = ParsedDiskKey(listing.key)
                return isUnwanted(StoredImage(name, listing))
            }
        }
    }

    /// Removes what has expired from memory and disk, and what dead processes left on disk.
    ///
    /// - Returns: How many entries were removed from disk.
    @discardableResult
    public func removeExpired() async throws -> Int {
        memory.removeExpired()
        return try await disk.perform { try $0.removeExpired() }
    }

    /// The state of the cache in memory.
    public var memoryStatistics: MemoryCacheStatistics { memory.statistics }

    /// Bytes of pixels in memory. Lowering it evicts at once.
    public var memoryCostLimit: Int {
        get { memory.costLimit }
        set { memory.costLimit = newValue }
    }

    /// Images in memory. Lowering it evicts at once. Default: no limit.
    public var memoryCountLimit: Int {
        get { memory.countLimit }
        set { memory.countLimit = newValue }
    }

    /// Sets the bytes that the disk cache may hold. A lower limit is enforced at once.
    public func setDiskSizeLimit(_ byteCount: Int) async throws {
        try await disk.perform { try $0.setSizeLimit(byteCount) }
    }

    /// Evicts images from memory until their pixels take at most this many bytes; the limit stays. Those that something
    /// still shows are found again while it does.
    public func trimMemory(to byteCount: Int = 0) {
        memory.trim(to: byteCount)
    }

    /// What names an image on disk, for people.
    public struct StoredName: Sendable, Hashable {
        /// The cache key of the source: its URL, unless another was given.
        public let original: String
        /// Whether it names the result of processing, and not the original. Several results may have the same name.
        public let isProcessed: Bool

        /// Makes a value, for tests of who listens.
        public init(original: String, isProcessed: Bool) {
            self.original = original
            self.isProcessed = isProcessed
        }
    }

    /// What this cache removes from disk from now on, and why, in order; each call gives a sequence of its own, which ends
    /// with the cache.
    public var diskRemovals: some AsyncSequence<CacheRemoval<StoredName>, Never> & Sendable {
        disk.removals.map { removal in
            let name = ParsedDiskKey(removal.key)
            let key = StoredName(original: name.original, isProcessed: name.isProcessed)
            return CacheRemoval<StoredName>(key: key, reason: removal.reason)
        }
    }

    /// Writes what is on disk into a new folder that ``importImages(from:)`` reads; see `EXCHANGE.md` of `HalcyonStore`.
    ///
    /// - Parameters:
    ///   - folder: An absolute path at which there is nothing yet.
    ///   - prefix: Only originals whose cache key begins with it, with what was made of them. Default: all.
    /// - Returns: How many entries were written.
    @discardableResult
    public func exportImages(to folder: String, originalsBeginningWith prefix: String = "") async throws -> Int {
        let key = ParsedDiskKey.escaped(prefix)
        return try await disk.perform { try $0.exportEntries(to: folder, prefix: key) }
    }
}
