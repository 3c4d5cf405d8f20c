internal import FoundationEssentials
internal import HalcyonConcurrency
internal import HalcyonStore

/// Stores the original of one load on disk.
struct OriginalWriter: Sendable {
    let request: ResolvedRequest
    let claim: StoreClaim
    /// Of storing, which those who wait for it raise.
    let priority: PriorityBox

    /// Begins to store what the options want of an original whose image was made.
    func storeUsed(_ original: Original) -> [Task<Void, Never>] {
        let (policy, caching) = (request.options.cache, original.caching)
        guard policy.storesOnDisk, request.source.isCachedOnDisk else { return [] }
        var stores: [Task<Void, Never>] = []
        // In memory the representations of an original have one place, so that it says nothing about each of them.
        let companion = !request.isProcessed && caching.place == .original ? StoreOrder.Place.image(request.key) : nil
        if !request.isProcessed || policy.storesOriginal, let store = store(original, with: companion) {
            stores.append(store)
        } else if let entry = caching.entry, let old = caching.replaced,
            let cache = request.originalCaches.first(where: { $0.disk === old.disk })
        {
            // One that is kept is kept up to date.
            stores.append(
                update(original, entry, in: cache) { disk in
                    disk.entry(for: old.diskKey, extending: .none)?.version == old.version ? old.diskKey : nil
                }
            )
        }
        if request.isProcessed, !policy.storesOriginal, caching.replaced == nil, policy.reads != .all,
            let entry = caching.entry
        {
            // The disk was not asked for one that is kept: the image would be made of that again.
            for cache in request.originalCaches {
                stores.append(
                    update(original, entry, in: cache) { disk in
                        let place = entry.slot?(disk) ?? entry.diskKey
                        return disk.contains(place) ? place : nil
                    }
                )
            }
        }
        return stores
    }

    /// Begins to store an original; `nil` if it is there already, or its server forbids it.
    ///
    /// - Parameter image: The place in memory of the same image, if it is stored there.
    func store(_ original: Original, with image: StoreOrder.Place? = nil) -> Task<Void, Never>? {
        guard let entry = original.caching.entry else { return nil }
        let cache = request.originalCaches[0]
        let admission = cache.admission(of: claim, original.caching.place, with: image)
        return store(original, entry, in: cache, slot: entry.slot, admission)
    }

    /// Begins to store an original in the place of one that is kept.
    ///
    /// - Parameter slot: Picks the place when it is written; `nil`: none is kept.
    private func update(
        _ original: Original,
        _ entry: OriginalCaching.Entry,
        in cache: ImageCache,
        slot: @escaping @Sendable (DiskCache) -> String?
    ) -> Task<Void, Never> {
        store(original, entry, in: cache, slot: slot, cache.admission(of: claim, original.caching.place))
    }

    private func store(
        _ original: Original,
        _ entry: OriginalCaching.Entry,
        in cache: ImageCache,
        slot: (@Sendable (DiskCache) -> String?)?,
        _ admission: StoreAdmission
    ) -> Task<Void, Never> {
        cache.disk.store(
            for: request.key.originalDiskKey,
            slot: slot,
            expiration: request.options.cache.diskExpiration,
            byteCount: original.data.count,
            priority: priority,
            admission: admission,
            content: { (original.data, entry.metadata) }
        )
    }
}
