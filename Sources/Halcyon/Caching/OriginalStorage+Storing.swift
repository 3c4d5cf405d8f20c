internal import FoundationEssentials
internal import HalcyonHTTP
internal import HalcyonStore

extension OriginalStorage: HTTPCacheStorage {
    func store(
        _ head: StoredResponse,
        body: Data,
        replacing isReplaced: @escaping @Sendable (StoredResponse) -> Bool
    ) async {
        guard !isOutdated() else { return }
        let ignoresServer = policy.freshness == .ignoringServer
        guard keepsAnyStatus || isImage(head) else {
            // The response is not kept. The image is gone if this is about the image, and not about the client
            // or the time.
            if HTTPStatus.isAboutResource(head.status), let found = state.withLock({ $0.found }) {
                await cache.tiers.remove(found.place)
            }
            return
        }
        var slot: (@Sendable (DiskCache) -> CacheKey?)?
        if head.isVarying, !ignoresServer {
            slot = { [diskKey, url] disk in Self.slot(of: diskKey, url: url, in: disk, replacing: isReplaced) }
        }
        let pending = Pending(diskKey: diskKey, slot: slot, head: head)
        state.withLock { $0.pending = pending }
    }

    /// Returns whether a response is an image for all requests, and not only for those that accept its status. For
    /// requests that ignore the server, these are the responses that are accepted by default.
    private func isImage(_ head: StoredResponse) -> Bool {
        policy.freshness == .ignoringServer
            ? HTTPStatus.isContent(head.status) : head.status == 200 || head.status == 203
    }

    func update(_ head: StoredResponse, replacing previous: StoredResponse) async {
        guard !isOutdated(), let found = state.withLock({ $0.found }), found.head == previous else { return }
        // Its place may have been taken by another representation, or by what another process has stored.
        let version = await cache.tiers.update(head.metadata, policy.diskExpiration, at: found.place)
        guard let version else { return state.withLock { $0.isOvertaken = true } }
        state.withLock { state in
            guard state.found?.place == found.place else { return }
            state.found?.head = head
            state.found?.place.version = version
        }
    }

    func remove(_ head: StoredResponse) async {
        guard !isOutdated(), let found = state.withLock({ $0.found }), found.head == head else { return }
        await cache.tiers.remove(found.place)
    }
}
