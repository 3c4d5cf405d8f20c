internal import FoundationEssentials
internal import HalcyonCodecs
internal import HalcyonStore

extension ImageLoader {
    /// Keeps a response in memory as the options and its server want.
    func remember(
        _ response: ImageResponse,
        key: ImageKey,
        policy: CachePolicy,
        validity: OriginalValidity?
    ) {
        guard policy.storesInMemory else { return }
        // What must be asked for again has no place.
        if let freshUntil = validity?.freshUntil, freshUntil <= cache.disk.now() { return }
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
        var stores: [Task<Void, Never>] = []
        let caching = decoded.original.caching
        if isIdentity || policy.storesOriginal, let store = store(decoded.original, policy: policy) {
            stores.append(store)
        }
        let validity = caching.validity
        if !isIdentity, caching.isStorable, let expiration = processedExpiration(policy, validity) {
            let image = response.image
            let metadata = ProcessedImageMetadata(info: image.info, byteCount: response.byteCount, validity: validity)
            let codecs = codecs
            stores.append(
                cache.disk.store(key.processedDiskKey, expiration: expiration.value) {
                    let (format, options) = policy.serializer.encoding(of: image)
                    return (try codecs.encode(image.bitmap, as: format, options: options), metadata.data)
                }
            )
        }
        return stores
    }

    /// Begins to write an original to disk; `nil` if it is there already, or its server forbids it.
    func store(_ original: Original, policy: CachePolicy) -> Task<Void, Never>? {
        guard let entry = original.caching.entry else { return nil }
        let data = original.data
        return cache.disk.store(entry.diskKey, expiration: policy.diskExpiration) { (data, entry.metadata) }
    }

    /// How long a processed image stays on disk: no longer than its original is fresh, as nobody asks a server about what
    /// was made here. `nil`: not at all.
    private func processedExpiration(
        _ policy: CachePolicy,
        _ validity: OriginalValidity?
    ) -> ProcessedExpiration? {
        guard let freshUntil = validity?.freshUntil else { return ProcessedExpiration(value: policy.diskExpiration) }
        let now = cache.disk.now()
        guard freshUntil > now else { return nil }
        guard let own = policy.diskExpiration, own.interval(since: now) < freshUntil.timeIntervalSince(now) else {
            return ProcessedExpiration(value: .date(freshUntil))
        }
        return ProcessedExpiration(value: own)
    }
}

/// How long a processed image stays on disk; `nil` inside: as the disk cache says.
private struct ProcessedExpiration {
    let value: Expiration?
}
