internal import FoundationEssentials
internal import HalcyonHTTP
internal import HalcyonStore

extension OriginalStorage {
    /// The most representations of one URL.
    static let slotCount = 4

    /// Returns the names that an original's representations may have on disk.
    static func diskKeys(_ diskKey: String) -> [CacheKey] {
        (0..<slotCount).map { Self.diskKey(diskKey, slot: $0) }
    }

    /// Returns the name of one of an original's representations on disk.
    static func diskKey(_ diskKey: String, slot: Int) -> CacheKey {
        CacheKey(name: diskKey, variant: slot == 0 ? nil : "\(ParsedDiskKey.slotMark)\(slot)")
    }

    /// Returns the key of the representation that is replaced, else a free one, else that of the oldest.
    ///
    /// The other representations are found only after a first one that varies. Where there is none, as after a removal
    /// or an expiry, they are removed: they may have been replaced since by one that is gone as well.
    static func slot(
        of diskKey: String,
        url: URL,
        in disk: DiskCache,
        replacing isReplaced: @Sendable (StoredResponse) -> Bool
    ) -> CacheKey {
        var free: Int?
        var oldest = (slot: 0, time: Date.distantFuture)
        for slot in 0..<slotCount {
            let key = Self.diskKey(diskKey, slot: slot)
            let head = disk.entry(for: key.text, extending: .none)
                .flatMap { Self.head(of: $0.metadata, storedAt: $0.storedAt, url: url) }
            if slot == 0, head?.isVarying != true {
                for other in diskKeys(diskKey).dropFirst() where disk.contains(other.text) {
                    _ = try? disk.remove(for: other.text)
                }
                return key
            }
            guard let head else {
                free = free ?? slot
                continue
            }
            if isReplaced(head) || !head.isVarying { return key }
            if head.responseTime < oldest.time { oldest = (slot, head.responseTime) }
        }
        return Self.diskKey(diskKey, slot: free ?? oldest.slot)
    }
}
