internal import FoundationEssentials
internal import HalcyonHTTP
internal import HalcyonStore

extension OriginalStorage {
    func response(
        for _: String,
        where matches: @Sendable (StoredResponse) -> Bool
    ) async -> (head: StoredResponse, body: Data)? {
        guard reads else { return nil }
        for slot in 0..<Self.slotCount {
            let diskKey = Self.diskKey(self.diskKey, slot: slot)
            guard let (head, entry) = await entry(diskKey) else {
                if slot == 0 { break }
                continue
            }
            if matches(head) {
                let digest = ContentDigest(entry.bodyHash)
                guard cache.order.isCurrent(digest, of: head.contentRepresentation, named: self.diskKey) else {
                    continue
                }
                let found = Entry(diskKey: diskKey, version: entry.version, digest: digest, head: head)
                state.withLock { $0.found = found }
                return (head, entry.body)
            }
            guard head.isVarying else { break }
        }
        // One that came with the program is taken for new: it is as recent as the program.
        guard let data = try? await cache.bundledOriginal(key, priority: priority) else { return nil }
        return (StoredResponse(url: url, responseTime: cache.disk.now()), data)
    }

    private func entry(_ diskKey: String) async -> (head: StoredResponse, entry: DiskCache.Entry)? {
        // Cancelling is noticed by the caller, which goes on with the load.
        let entry = try? await cache.disk.entry(
            for: diskKey,
            storedAs: self.diskKey,
            extending: policy.diskExtension,
            priority: priority
        )
        guard let entry else { return nil }
        if let head = Self.head(of: entry, url: url) { return (head, entry) }
        // Its head is of use only to requests that follow the server.
        guard policy.freshness == .ignoringServer else { return nil }
        return (StoredResponse(url: url, responseTime: entry.storedAt), entry)
    }

    /// Returns the head of an entry of this original, under the URL of the request; `nil` if it cannot be read.
    static func head(of entry: DiskCache.Entry, url: URL) -> StoredResponse? {
        guard let head = StoredResponse(of: entry, url: url) else { return nil }
        return isSame(head.url, url) ? head.named(url) : head
    }

    /// Returns whether a URL names the image of this request. Names on disk that are equal are taken for the same
    /// image, and URLs that then differ in their queries alone, such as by a signature that is new each time, have the
    /// same validators.
    private static func isSame(_ other: URL, _ url: URL) -> Bool {
        let rule = CacheKeyRule.ignoringQuery
        return other != url && rule.key(for: other.name) == rule.key(for: url.name)
    }
}

extension StoredResponse {
    /// Returns the head of an entry; `nil` if it cannot be read.
    ///
    /// - Parameter url: The URL that an entry without a head, which was stored by hand, is taken to be from.
    init?(of entry: DiskCache.Entry, url: URL) {
        if entry.metadata.isEmpty {
            self.init(url: url, responseTime: entry.storedAt)
        } else {
            self.init(metadata: entry.metadata)
        }
    }
}
