internal import FoundationEssentials
internal import HalcyonConcurrency
internal import HalcyonHTTP
internal import HalcyonStore

/// Stores the original of one load on disk.
struct OriginalWriter: Sendable {
    let request: ResolvedRequest
    let claim: ContentClaim
    /// The priority of storing, which loads that wait for it raise.
    let priority: PriorityBox

    /// Starts to store an original whose image was made, as far as the options ask for that.
    ///
    /// - Parameter isAnimated: A Boolean value that indicates whether the image has its animation, which is stored as the
    ///   original alone.
    /// - Returns: `nil` if nothing is stored.
    func storeUsed(_ original: Original, isAnimated: Bool) -> Task<Void, Never>? {
        let (policy, caching) = (request.options.cache, original.caching)
        guard policy.storesOnDisk, request.source.isCachedOnDisk, let entry = caching.entry else { return nil }
        if !request.isProcessed || policy.keepsOriginal || isAnimated { return store(original.data, entry) }
        if let old = caching.replaced {
            // An original that is on disk already is kept up to date.
            return store(original.data, entry) { [place = old.place] disk in
                let found = disk.entry(for: place.key.text, extending: .none)
                return found.map { TierVersion($0.version) } == place.version ? place.key : nil
            }
        }
        guard !request.work.readsDisk else { return nil }
        // The disk was not read for an original that it may have: the image would be made of that one again.
        return store(original.data, entry) { disk in
            let place = entry.slot?(disk) ?? CacheKey(name: entry.diskKey)
            return disk.contains(place.text) ? place : nil
        }
    }

    /// Starts to store an original.
    ///
    /// - Returns: `nil` if it is on disk already, or its server forbids storing it.
    func store(_ original: Original) -> Task<Void, Never>? {
        original.caching.entry.map { store(original.data, $0) }
    }

    /// Starts to store an original.
    func store(_ data: Data, _ entry: OriginalCaching.Entry) -> Task<Void, Never> {
        store(data, entry, slot: entry.slot)
    }

    /// - Parameter slot: Returns the place at the time of writing; `nil` if nothing is to be stored.
    private func store(
        _ data: Data,
        _ entry: OriginalCaching.Entry,
        slot: (@Sendable (DiskCache) -> CacheKey?)?
    ) -> Task<Void, Never> {
        let cache = request.originals
        return cache.tiers.store(
            for: CacheKey(name: request.key.originalDiskKey),
            slot: slot,
            expiration: request.options.cache.diskExpiration,
            durability: request.options.cache.diskDurability ?? .none,
            byteCount: data.count,
            priority: priority,
            digest: claim.digest,
            admission: cache.admission(of: claim, request.key),
            content: { (data, entry.metadata) }
        )
    }
}
