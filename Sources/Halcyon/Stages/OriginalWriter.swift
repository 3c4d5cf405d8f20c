internal import FoundationEssentials
internal import HalcyonHTTP
internal import HalcyonStore
internal import HalcyonSystem

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
        guard policy.storesOnDisk, request.source.isCachedOnDisk else { return nil }
        if !request.isProcessed || policy.keepsOriginal || isAnimated { return store(original) }
        guard let entry = caching.entry else { return nil }
        if let place = caching.replaced?.place {
            // An original that is stored already is kept up to date, in the tier that has it.
            let tiers = request.originals.tiers
            guard !tiers.below.contains(place.tier) else {
                return tiers.store(
                    TierEntry(
                        body: original.data,
                        metadata: entry.metadata,
                        expiration: policy.diskExpiration,
                        digest: claim.digest?.value
                    ),
                    for: place.key,
                    in: place.tier,
                    durability: policy.diskDurability ?? .none,
                    priority: priority,
                    if: request.originals.admission(of: claim, request.key)
                )
            }
            return store(
                original.data,
                entry.with { disk in
                    // One that came with the program is replaced on disk.
                    guard place.tier == 0 else { return place.key }
                    let found = disk.entry(for: place.key.text, extending: .none)
                    return found?.version == place.version ? place.key : nil
                }
            )
        }
        guard !request.work.readsDisk else { return nil }
        // The disk was not read for an original that it may have: the image would be made of that one again.
        return store(
            original.data,
            entry.with { disk in
                let place = entry.slot?(disk) ?? CacheKey(name: entry.diskKey)
                return disk.contains(place.text) ? place : nil
            }
        )
    }

    /// Starts to store an original, on disk alone if it was found in a tier below.
    ///
    /// - Returns: `nil` if it is on disk already, or its server forbids storing it.
    func store(_ original: Original) -> Task<Void, Never>? {
        if let entry = original.caching.entry { return store(original.data, entry) }
        guard request.isBelowDisk(original) else { return nil }
        let (diskKey, head) = (request.key.originalDiskKey, original.caching.source?.head)
        var entry = OriginalCaching.Entry(diskKey: diskKey, metadata: head?.metadata ?? Data())
        if let head, head.isVarying {
            entry.slot = { disk in
                OriginalStorage.slot(of: diskKey, url: head.url, in: disk) { $0.representation == head.representation }
            }
        }
        return store(original.data, entry, isCopy: true)
    }

    /// Starts to store an original.
    ///
    /// - Parameter isCopy: `true` if a tier below the disk has it already. Default: `false`.
    func store(_ data: Data, _ entry: OriginalCaching.Entry, isCopy: Bool = false) -> Task<Void, Never> {
        let cache = request.originals
        return cache.tiers.store(
            for: CacheKey(name: request.key.originalDiskKey),
            slot: entry.slot,
            expiration: request.options.cache.diskExpiration,
            durability: request.options.cache.diskDurability ?? .none,
            byteCount: data.count,
            priority: priority,
            digest: claim.digest,
            isCopy: isCopy,
            admission: cache.admission(of: claim, request.key),
            content: { (data, entry.metadata) }
        )
    }
}

extension ResolvedRequest {
    /// Returns whether an original was found in a tier below the disk that is stored in, and may be kept.
    func isBelowDisk(_ original: Original) -> Bool {
        guard original.caching.effect == .store, let place = original.caching.source?.place else { return false }
        return originals.tiers.below.contains(place.tier)
    }
}
