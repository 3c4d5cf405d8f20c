package import FoundationEssentials
package import HalcyonConcurrency
package import HalcyonHTTP
internal import HalcyonStore

/// A storage for an ``HTTPCache`` that keeps responses as the pipeline keeps originals, in a disk cache.
///
/// The pipeline stores bytes that have turned out to be an image, once it is decoded. This stores every response at
/// once, whatever its status, so that the rules of HTTP caching can be tested on the storage of the pipeline.
///
/// For one request after the other: only the response that was found last under a key is updated and removed.
package final class DiskResponseStorage: HTTPCacheStorage {
    /// The state of a key since it was last looked up.
    private struct Original {
        let storage: OriginalStorage
        let registrations: ContentRegistrations
    }

    private let cache: ImageCache
    private let policy = CachePolicy()
    private let priority = PriorityBox(.normal)
    private let originals = Lock<[String: Original]>([:])

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

    package func response(
        for key: String,
        where matches: @Sendable (StoredResponse) -> Bool
    ) async -> (head: StoredResponse, body: Data)? {
        guard let original = makeOriginal(key) else { return nil }
        originals.withLock { $0[key] = original }
        return await original.storage.response(for: key, where: matches)
    }

    package func store(
        _ head: StoredResponse,
        body: Data,
        for key: String,
        replacing isReplaced: @escaping @Sendable (StoredResponse) -> Bool
    ) async {
        guard let original = original(key) else { return }
        await original.storage.store(head, body: body, for: key, replacing: isReplaced)
        guard let pending = original.storage.pending else { return }
        let claim = ContentClaim(
            registrations: original.registrations,
            transfer: WorkNumber.next(),
            digest: ContentDigest(of: body),
            representation: pending.head.contentRepresentation
        )
        let isChanged = cache.adopt(claim, for: original.storage.key)
        let stored = cache.tiers.store(
            for: CacheKey(name: pending.diskKey),
            slot: pending.slot,
            expiration: policy.diskExpiration,
            durability: policy.diskDurability ?? .none,
            byteCount: body.count,
            digest: claim.digest,
            admission: cache.admission(of: claim, original.storage.key),
            content: { (body, pending.head.metadata) }
        )
        await stored.value
        if isChanged { cache.removeOutdated(claim, after: []) }
    }

    package func update(_ head: StoredResponse, replacing previous: StoredResponse, for key: String) async {
        await original(key)?.storage.update(head, replacing: previous, for: key)
    }

    package func remove(_ head: StoredResponse, for key: String) async {
        await original(key)?.storage.remove(head, for: key)
    }

    package func removeAll(for key: String) async {
        await original(key)?.storage.removeAll(for: key)
    }

    private func original(_ key: String) -> Original? {
        originals.withLock { $0[key] } ?? makeOriginal(key)
    }

    /// Returns the state for a key: a URL, and after a byte 0 the digest of a credential if there is one.
    private func makeOriginal(_ key: String) -> Original? {
        guard let url = URL(string: String(key.prefix { $0 != "\0" })) else { return nil }
        let imageKey = ImageKey(original: OriginalKey(text: key), variant: nil)
        let storage = OriginalStorage(
            of: imageKey,
            from: url,
            in: cache,
            policy: policy,
            keepsAnyStatus: true,
            priority: priority
        )
        return Original(storage: storage, registrations: ContentRegistrations(for: imageKey, with: [cache]))
    }
}
