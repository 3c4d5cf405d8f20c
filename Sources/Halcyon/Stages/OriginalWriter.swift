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
    func storeUsed(_ original: Original, isAnimated: Bool) -> [Task<Void, Never>] {
        let (policy, caching) = (request.options.cache, original.caching)
        guard policy.storesOnDisk, request.source.isCachedOnDisk else { return [] }
        var stores: [Task<Void, Never>] = []
        let keepsOriginal = policy.keepsOriginal || isAnimated
        let own = !request.isProcessed || keepsOriginal ? store(original) : []
        if !own.isEmpty {
            stores += own
        } else if let entry = caching.entry, let old = caching.replaced,
            let cache = request.caches.all.first(where: { $0.disk === old.disk })
        {
            // An original that is on disk already is kept up to date.
            let slot: @Sendable (DiskCache) -> String? = { disk in
                disk.entry(for: old.diskKey, extending: .none)?.version == old.version ? old.diskKey : nil
            }
            let admission = cache.admission(of: claim, request.key)
            stores += request.caches.lowestFirst.map { other in
                other == cache
                    ? store(original.data, entry, in: cache, slot: slot, admission)
                    : updatePresent(original.data, entry, in: other)
            }
        }
        if request.isProcessed, !keepsOriginal, caching.replaced == nil, !request.work.readsDisk,
            let entry = caching.entry
        {
            // The disk was not read for an original that it may have: the image would be made of that one again.
            for cache in request.caches.lowestFirst {
                stores.append(updatePresent(original.data, entry, in: cache))
            }
        }
        if caching.effect == .store, let found = caching.source { stores += promote(original, found) }
        return stores
    }

    /// Starts to store an original; returns nothing if it is on disk already, or its server forbids storing it.
    func store(_ original: Original) -> [Task<Void, Never>] {
        guard let entry = original.caching.entry else { return [] }
        return store(original.data, entry)
    }

    /// Starts to store an original in the caches that store new ones. Where others of their group have an older one, it
    /// takes the place of that.
    func store(_ data: Data, _ entry: OriginalCaching.Entry) -> [Task<Void, Never>] {
        let group = request.caches.storesOfOriginal
        let stored = group.stored
        return group.lowestFirst.map { cache in
            guard stored.contains(cache) else { return updatePresent(data, entry, in: cache) }
            return store(data, entry, in: cache, slot: entry.slot, cache.admission(of: claim, request.key))
        }
    }

    /// Starts to copy an original that was found in one cache of a group to those above it, as the group says.
    private func promote(_ original: Original, _ found: OriginalStorage.Entry) -> [Task<Void, Never>] {
        guard let cache = request.caches.all.first(where: { $0.disk === found.disk }) else { return [] }
        let caches = request.caches.promotionTargetsOfOriginal(from: cache)
        if caches.isEmpty { return [] }
        var slot: (@Sendable (DiskCache) -> String?)?
        if let head = found.head, head.isVarying {
            slot = { [diskKey = request.key.originalDiskKey] disk in
                OriginalStorage.slot(of: diskKey, url: head.url, in: disk) { $0.representation == head.representation }
            }
        }
        let policy = request.options.cache
        let copy = DiskCopy(
            original.data,
            metadata: found.head?.metadata ?? Data(),
            name: request.key.originalDiskKey,
            slot: slot,
            key: request.key,
            expiration: found.expiration,
            limit: policy.diskExpiration,
            durability: policy.diskDurability ?? .none,
            claim: claim
        )
        return caches.compactMap { copy.store(in: $0, priority: priority) }
    }

    /// Starts to store an original in the place of an older one that a cache may have.
    private func updatePresent(
        _ data: Data,
        _ entry: OriginalCaching.Entry,
        in cache: ImageCache
    ) -> Task<Void, Never> {
        let slot: @Sendable (DiskCache) -> String? = { disk in
            let place = entry.slot?(disk) ?? entry.diskKey
            return disk.contains(place) ? place : nil
        }
        return store(data, entry, in: cache, slot: slot, cache.admission(of: claim, request.key))
    }

    /// - Parameter slot: Returns the place at the time of writing; `nil` if nothing is to be stored.
    private func store(
        _ data: Data,
        _ entry: OriginalCaching.Entry,
        in cache: ImageCache,
        slot: (@Sendable (DiskCache) -> String?)?,
        _ admission: @escaping StoreAdmission
    ) -> Task<Void, Never> {
        cache.disk.store(
            for: request.key.originalDiskKey,
            slot: slot,
            expiration: request.options.cache.diskExpiration,
            durability: request.options.cache.diskDurability ?? .none,
            byteCount: data.count,
            priority: priority,
            admission: admission,
            content: { (data, entry.metadata) }
        )
    }
}
