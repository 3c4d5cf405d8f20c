internal import FoundationEssentials
internal import HalcyonCodecs
internal import HalcyonStore

extension ImageLoader {
    /// Removes the image that one which must not be stored takes the place of. Where the disk was looked into for the
    /// original, that one has gone already.
    func forgetReplaced(_ key: ImageKey, original: OriginalWorkKey, request: LoadRequest) async {
        let policy = request.options.cache
        let cache = target(policy)
        if policy.storesInMemory { cache.memory.remove(key) }
        guard policy.storesOnDisk, request.source.isCachedOnDisk else { return }
        if !original.readsDisk {
            for cache in originalCaches(request.options) {
                for diskKey in OriginalStorage.diskKeys(key.originalDiskKey) { await cache.disk.remove(diskKey) }
            }
        }
        await cache.disk.remove(key.processedDiskKey)
    }

    /// Keeps a response in memory as the options and its server want.
    func remember(
        _ response: ImageResponse,
        key: ImageKey,
        policy: CachePolicy,
        validity: OriginalValidity?
    ) {
        guard policy.storesInMemory else { return }
        let cache = target(policy)
        // What must be asked for again has no place.
        if validity?.isOver(at: cache.disk.now()) ?? false {
            cache.memory.remove(key)
            return
        }
        let cached = CachedImage(image: response.image, byteCount: response.byteCount, validity: validity)
        cache.memory.insert(cached, for: key, cost: cached.cost, expiration: policy.memoryExpiration)
    }

    /// Begins to write what the options want on disk.
    func store(
        _ response: ImageResponse,
        decoded: DecodedOriginal,
        key: ImageKey,
        request: LoadRequest
    ) -> [Task<Void, Never>] {
        let policy = request.options.cache
        let isIdentity = request.options.processing.isIdentity
        guard policy.storesOnDisk, request.source.isCachedOnDisk else { return [] }
        let cache = target(policy)
        var stores: [Task<Void, Never>] = []
        let caching = decoded.original.caching
        if isIdentity || policy.storesOriginal, let store = store(decoded.original, options: request.options) {
            stores.append(store)
        } else if let entry = caching.entry, let old = caching.replaced {
            // One that is kept is kept up to date.
            let data = decoded.original.data
            stores.append(
                old.disk.store(old.diskKey, expiration: policy.diskExpiration) { (data, entry.metadata) }
            )
        }
        let validity = caching.validity
        if !isIdentity, caching.isStorable, !(validity?.isOver(at: cache.disk.now()) ?? false) {
            let expiration = processedExpiration(policy, validity)
            let image = response.image
            let metadata = ProcessedImageMetadata(image, byteCount: response.byteCount, validity: validity)
            let codecs = codecs
            stores.append(
                cache.disk.store(key.processedDiskKey, expiration: expiration) {
                    let (format, options) = policy.serializer.encoding(of: image)
                    return (try codecs.encode(image.bitmap, as: format, options: options), metadata.data)
                }
            )
        }
        return stores
    }

    /// Begins to write an original to disk; `nil` if it is there already, or its server forbids it.
    func store(_ original: Original, options: ImageOptions) -> Task<Void, Never>? {
        guard let entry = original.caching.entry else { return nil }
        let data = original.data
        let disk = originalCaches(options)[0].disk
        return disk.store(entry.diskKey, expiration: options.cache.diskExpiration) { (data, entry.metadata) }
    }

    /// How long a processed image stays on disk: no longer than its original is fresh, as nobody asks a server about what
    /// was made here, unless it may be shown afterwards if that server fails.
    private func processedExpiration(_ policy: CachePolicy, _ validity: OriginalValidity?) -> Expiration? {
        guard let freshUntil = validity?.freshUntil, validity?.mayBeUsedStale != true else {
            return policy.diskExpiration
        }
        let now = cache.disk.now()
        guard let own = policy.diskExpiration, own.interval(since: now) < freshUntil.timeIntervalSince(now) else {
            return .date(freshUntil)
        }
        return own
    }
}
