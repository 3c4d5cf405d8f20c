public import HalcyonStore

extension ImageCache {
    /// An image on disk, as a listing shows it.
    public struct StoredImage: Sendable, Hashable {
        /// The cache key of the source: its URL, unless another was given.
        public let original: String
        /// Whether this is the result of processing, and not the original.
        public let isProcessed: Bool
        /// Sizes and dates.
        public let listing: DiskCache.Listing
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
            let name = DiskKey(listing.key)
            return StoredImage(original: name.original, isProcessed: name.isProcessed, listing: listing)
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

    /// Removes everything from disk.
    public func removeAllFromDisk() async throws {
        try await disk.perform { try $0.removeAll() }
    }

    /// Removes an original from disk together with all that was made of it; memory is not touched.
    ///
    /// - Returns: How many entries there were.
    @discardableResult
    public func removeFromDisk(_ source: Source) async throws -> Int {
        guard let original = source.originalKey else { return 0 }
        let prefix = ImageKey(original: original, variant: nil).originalDiskKey
        return try await disk.perform { disk in
            let keys = try disk.entries(prefix: prefix, limit: .max).map(\.key)
            // The prefix of one key can begin another one only behind a space, which starts a variant.
            return try keys.filter {
                $0.utf8.count == prefix.utf8.count || $0.utf8.dropFirst(prefix.utf8.count).first == 0x20
            }
            .filter { try disk.remove($0) }.count
        }
    }
}

/// A name on disk, taken apart again.
package struct DiskKey {
    package let original: String
    package let isProcessed: Bool

    /// See ``ImageKey/originalDiskKey`` for the form. Anything else is shown as it is.
    package init(_ key: String) {
        guard let space = key.utf8.firstIndex(of: 0x20), let length = Int(key[..<space]) else {
            (original, isProcessed) = (key, false)
            return
        }
        let rest = key.utf8[key.utf8.index(after: space)...]
        original = String(decoding: rest.prefix(length), as: UTF8.self)
        let suffix = rest.dropFirst(length)
        isProcessed = !suffix.isEmpty && !suffix.starts(with: " \(Self.slotMark)".utf8)
    }

    /// Begins the number of a further representation of an original. No variant is written with this letter.
    static let slotMark = "v"
}
