internal import FoundationEssentials
internal import HalcyonCodecs
internal import HalcyonConcurrency
internal import HalcyonStore

extension ImageLoader {
    /// Removes the image that one which must not be stored takes the place of. Where the disk was looked into for the
    /// original, that one has gone already.
    func forgetReplaced(
        _ key: ImageKey,
        original: OriginalWorkKey,
        request: LoadRequest,
        claim: StoreClaim
    ) async {
        let policy = request.options.cache
        let cache = target(policy)
        if policy.storesInMemory { cache.forget(key, claim) }
        guard policy.storesOnDisk, request.source.isCachedOnDisk else { return }
        if !original.readsDisk {
            for cache in originalCaches(request.options) {
                for diskKey in OriginalStorage.diskKeys(key.originalDiskKey) {
                    await cache.disk.remove(diskKey, if: cache.admission(of: claim, .original))
                }
            }
        }
        guard !request.options.processing.isIdentity else { return }
        await cache.disk.remove(key.processedDiskKey, if: cache.admission(of: claim, .image(key)))
    }

    /// Keeps a response in memory as the options and its server want.
    func remember(
        _ response: ImageResponse,
        key: ImageKey,
        request: LoadRequest,
        claim: StoreClaim,
        _ validity: OriginalValidity?
    ) {
        let policy = request.options.cache
        guard policy.storesInMemory else { return }
        let cache = target(policy)
        // What must be asked for again has no place.
        if validity?.isOver(at: cache.disk.now(), policy.freshness) ?? false { return cache.forget(key, claim) }
        // Who ignores the server uses an image for as long as a cache has it.
        let isFollowed = policy.freshness != .ignoringServer
        let cached = CachedImage(
            image: response.image,
            byteCount: response.byteCount,
            validity: validity,
            dropsSilence: isFollowed
        )
        let isOriginal = request.options.processing.isIdentity
        let original = isOriginal ? StoreOrder.Place.ofOriginal(validity?.response) : nil
        cache.remember(
            cached,
            for: key,
            original: original,
            claim,
            expiration: policy.memoryExpiration,
            latest: isFollowed ? validity?.silentEnd : nil
        )
    }

    /// Begins to write what the options want on disk.
    ///
    /// - Parameter priority: Of encoding and storing.
    func store(
        _ response: ImageResponse,
        original: Original,
        key: ImageKey,
        request: LoadRequest,
        claim: StoreClaim,
        priority: PriorityBox
    ) -> [Task<Void, Never>] {
        let policy = request.options.cache
        let isIdentity = request.options.processing.isIdentity
        guard policy.storesOnDisk, request.source.isCachedOnDisk else { return [] }
        let cache = target(policy)
        var stores: [Task<Void, Never>] = []
        let caching = original.caching
        // In memory the representations of an original have one place, so that it says nothing about each of them.
        let companion = isIdentity && caching.place == .original ? StoreOrder.Place.image(key) : nil
        if isIdentity || policy.storesOriginal,
            let store = store(original, claim: claim, with: companion, options: request.options, priority: priority)
        {
            stores.append(store)
        } else if let entry = caching.entry, let old = caching.replaced,
            let cache = originalCaches(request.options).first(where: { $0.disk === old.disk })
        {
            // One that is kept is kept up to date.
            stores.append(
                update(original, entry, in: cache, key, claim, policy, priority) { disk in
                    disk.get(old.diskKey, extending: .none)?.version == old.version ? old.diskKey : nil
                }
            )
        }
        if !isIdentity, !policy.storesOriginal, caching.replaced == nil, policy.reads != .all, let entry = caching.entry
        {
            // The disk was not asked for one that is kept: the image would be made of that again.
            for cache in originalCaches(request.options) {
                stores.append(
                    update(original, entry, in: cache, key, claim, policy, priority) { disk in
                        let place = entry.slot?(disk) ?? entry.diskKey
                        return disk.contains(place) ? place : nil
                    }
                )
            }
        }
        let validity = caching.validity
        if !isIdentity, caching.isStorable, !(validity?.isOver(at: cache.disk.now(), policy.freshness) ?? false) {
            let image = response.image
            let metadata = ProcessedImageMetadata(image, byteCount: response.byteCount, validity: validity)
            stores.append(
                cache.disk.store(
                    key.processedDiskKey,
                    expiration: processedExpiration(policy, validity),
                    byteCount: image.bitmap.byteCount,
                    priority: priority,
                    admission: cache.admission(of: claim, .image(key)),
                    content: { [workers, codecs] in
                        let body = try await workers.encode(
                            image,
                            codecs: codecs,
                            serializer: policy.serializer,
                            priority: priority
                        )
                        return (body, metadata.data)
                    }
                )
            )
        }
        return stores
    }

    /// Begins to write an original in the place of one that is kept.
    ///
    /// - Parameter slot: Picks the place when it is written; `nil`: none is kept.
    private func update(
        _ original: Original,
        _ entry: OriginalCaching.Entry,
        in cache: ImageCache,
        _ key: ImageKey,
        _ claim: StoreClaim,
        _ policy: CachePolicy,
        _ priority: PriorityBox,
        slot: @escaping @Sendable (DiskCache) -> String?
    ) -> Task<Void, Never> {
        cache.disk.store(
            key.originalDiskKey,
            slot: slot,
            expiration: policy.diskExpiration,
            byteCount: original.data.count,
            priority: priority,
            admission: cache.admission(of: claim, original.caching.place),
            content: { (original.data, entry.metadata) }
        )
    }

    /// Begins to write an original to disk; `nil` if it is there already, or its server forbids it.
    ///
    /// - Parameter image: The place in memory of the same image, if it is stored there.
    func store(
        _ original: Original,
        claim: StoreClaim,
        with image: StoreOrder.Place? = nil,
        options: ImageOptions,
        priority: PriorityBox
    ) -> Task<Void, Never>? {
        guard let entry = original.caching.entry else { return nil }
        let data = original.data
        let cache = originalCaches(options)[0]
        return cache.disk.store(
            entry.diskKey,
            slot: entry.slot,
            expiration: options.cache.diskExpiration,
            byteCount: data.count,
            priority: priority,
            admission: cache.admission(of: claim, original.caching.place, with: image),
            content: { (data, entry.metadata) }
        )
    }

    /// How long a processed image stays on disk: no longer than its original is fresh, as nobody asks a server about what
    /// was made here, unless it may be shown afterwards if that server fails.
    private func processedExpiration(_ policy: CachePolicy, _ validity: OriginalValidity?) -> Expiration? {
        guard let validity, let freshUntil = validity.statedEnd(policy.freshness), !validity.mayBeUsedStale else {
            return policy.diskExpiration
        }
        let now = cache.disk.now()
        guard let own = policy.diskExpiration, own.interval(since: now) < freshUntil.timeIntervalSince(now) else {
            return .date(freshUntil)
        }
        return own
    }
}
