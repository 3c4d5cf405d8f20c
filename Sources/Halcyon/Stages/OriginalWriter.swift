internal import FoundationEssentials
internal import HalcyonConcurrency
internal import HalcyonStore

/// Stores the original of one load on disk.
struct OriginalWriter: Sendable {
    let request: ResolvedRequest
    let claim: StoreClaim
    /// The priority of storing, which loads that wait for it raise.
    let priority: PriorityBox

    /// Starts to store an original whose image was made, as far as the options ask for that.
    func storeUsed(_ original: Original) -> [Task<Void, Never>] {
        let (policy, caching) = (request.options.cache, original.caching)
        guard policy.storesOnDisk, request.source.isCachedOnDisk else { return [] }
        var stores: [Task<Void, Never>] = []
        // In memory the representations of an original have one item, so that it says nothing about each of them.
        let companion = !request.isProcessed && caching.item == .original ? StoreOrder.Item.image(request.key) : nil
        if !request.isProcessed || policy.keepsOriginal, let store = store(original, with: companion) {
            stores.append(store)
        } else if let entry = caching.entry, let old = caching.replaced,
            let cache = request.originalCaches.first(where: { $0.disk === old.disk })
        {
            // An original that is on disk already is kept up to date.
            stores.append(
                update(original, entry, in: cache) { disk in
                    disk.entry(for: old.diskKey, extending: .none)?.version == old.version ? old.diskKey : nil
                }
            )
        }
        if request.isProcessed, !policy.keepsOriginal, caching.replaced == nil, !request.work.readsDisk,
            let entry = caching.entry
        {
            // The disk was not read for an original that it may have: the image would be made of that one again.
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

    /// Starts to store an original; returns `nil` if it is on disk already, or its server forbids storing it.
    ///
    /// - Parameter image: The item in memory of the same image, if it is stored there.
    func store(_ original: Original, with image: StoreOrder.Item? = nil) -> Task<Void, Never>? {
        guard let entry = original.caching.entry else { return nil }
        let cache = request.originalCaches[0]
        let admission = cache.admission(of: claim, original.caching.item, with: image)
        return store(original, entry, in: cache, slot: entry.slot, admission)
    }

    /// Starts to store an original in the place of one that is on disk.
    ///
    /// - Parameter slot: Returns the place at the time of writing; `nil` if no original is on disk.
    private func update(
        _ original: Original,
        _ entry: OriginalCaching.Entry,
        in cache: ImageCache,
        slot: @escaping @Sendable (DiskCache) -> String?
    ) -> Task<Void, Never> {
        store(original, entry, in: cache, slot: slot, cache.admission(of: claim, original.caching.item))
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
            durability: request.options.cache.diskDurability ?? .none,
            byteCount: original.data.count,
            priority: priority,
            admission: admission,
            content: { (original.data, entry.metadata) }
        )
    }
}
