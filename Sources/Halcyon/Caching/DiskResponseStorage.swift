internal import FoundationEssentials
package import HalcyonHTTP
internal import HalcyonStore
package import HalcyonSystem

/// The responses of servers as the pipeline keeps originals: under its keys, in its disk cache.
///
/// The pipeline stores bytes that have turned out to be an image, once it is decoded. This stores every response at
/// once, whatever its status, so that the rules of HTTP caching can be tested on the storage of the pipeline.
package struct DiskResponseStorage: Sendable {
    private let cache: ImageCache

    /// Opens the cache in a folder.
    package init(folder: String, clock: StoreClock) {
        var configuration = DiskCache.Configuration(folder: folder)
        configuration.clock = clock
        configuration.sweepInterval = nil
        cache = ImageCache(disk: configuration, memoryCostLimit: 0, memoryPressure: nil)
    }

    /// Waits until everything that was stored is on disk.
    package func flush() async {
        await cache.flush()
    }

    /// Returns the storage for one load of a request; `nil` if the pipeline caches no response to it.
    package func responses(to request: TransferRequest) -> (any HTTPCacheStorage)? {
        OriginalKey(Source(.network(request), cacheKey: nil), options: ImageOptions()).map { key in
            Responses(to: request, key: ImageKey(original: key, variant: nil), in: cache)
        }
    }

    /// The originals of one load, which are stored although no image is decoded.
    private struct Responses: HTTPCacheStorage {
        let cache: ImageCache
        let storage: OriginalStorage
        let registrations: ContentRegistrations

        init(to request: TransferRequest, key: ImageKey, in cache: ImageCache) {
            self.cache = cache
            storage = OriginalStorage(
                of: key,
                from: request.url.withoutUser,
                in: cache,
                policy: CachePolicy(),
                keepsAnyStatus: true,
                priority: PriorityBox(.normal)
            )
            registrations = ContentRegistrations(for: key, with: [cache])
        }

        func response(
            where matches: @Sendable (StoredResponse) -> Bool
        ) async -> (head: StoredResponse, body: Data)? {
            await storage.response(where: matches)
        }

        func store(
            _ head: StoredResponse,
            body: Data,
            replacing isReplaced: @escaping @Sendable (StoredResponse) -> Bool
        ) async {
            await storage.store(head, body: body, replacing: isReplaced)
            guard let pending = storage.pending else { return }
            let claim = ContentClaim(
                registrations: registrations,
                transfer: WorkNumber.next(),
                digest: ContentDigest(of: body),
                representation: pending.head.contentRepresentation,
                found: storage.content
            )
            let isChanged = cache.adopt(claim, for: storage.key)
            let stored = cache.tiers.store(
                for: CacheKey(name: pending.diskKey),
                slot: pending.slot,
                expiration: storage.policy.diskExpiration,
                durability: storage.policy.diskDurability ?? .none,
                byteCount: body.count,
                digest: claim.digest,
                admission: cache.admission(of: claim, storage.key),
                content: { (body, pending.head.metadata) }
            )
            await stored.value
            if isChanged { cache.removeOutdated(claim, after: []) }
        }

        func update(_ head: StoredResponse, replacing previous: StoredResponse) async {
            await storage.update(head, replacing: previous)
        }

        func remove(_ head: StoredResponse) async {
            await storage.remove(head)
        }
    }
}
