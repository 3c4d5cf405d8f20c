internal import FoundationEssentials
internal import HalcyonHTTP
internal import HalcyonStore

extension OriginalStorage {
    func response(
        where matches: @Sendable (StoredResponse) -> Bool
    ) async -> (head: StoredResponse, body: Data)? {
        guard reads else { return nil }
        for tier in cache.tiers.all.indices.dropFirst(skippedTiers) {
            for slot in 0..<Self.slotCount {
                let key = Self.diskKey(diskKey, slot: slot)
                // Cancelling is noticed by the caller, which goes on with the load.
                let answer = try? await cache.tiers.answer(
                    for: key,
                    in: tier,
                    extending: policy.diskExtension,
                    priority: priority
                )
                if case .miss(let expired?) = answer, slot == 0 {
                    state.withLock { $0.expired = $0.expired ?? ContentClaim.Found(expired) }
                }
                guard case .hit(let entry) = answer, let head = head(of: entry) else {
                    if slot == 0 { break }
                    continue
                }
                let content = ContentClaim.Found(entry)
                let place = CacheTiers.Place(tier: tier, key: key, version: entry.version)
                if matches(head), cache.isCurrent(content.digest, of: head.contentRepresentation, at: place) {
                    state.withLock { $0.found = Entry(place: place, content: content, head: head) }
                    return (head, entry.body)
                }
                guard head.isVarying else { break }
            }
        }
        return nil
    }

    /// Returns the head of an entry; `nil` if it cannot be read, and is of use to the request.
    private func head(of entry: TierEntry) -> StoredResponse? {
        // One that came with the program is taken for new: it is as recent as the program.
        let storedAt = entry.storedAt ?? cache.disk.now()
        if let head = Self.head(of: entry.metadata, storedAt: storedAt, url: url) { return head }
        return policy.freshness == .ignoringServer ? StoredResponse(url: url, responseTime: storedAt) : nil
    }

    /// Returns the head of an entry of this original, under the URL of the request; `nil` if it cannot be read.
    static func head(of metadata: Data, storedAt: Date, url: URL) -> StoredResponse? {
        // An entry without a head was stored by hand.
        guard !metadata.isEmpty else { return StoredResponse(url: url, responseTime: storedAt) }
        guard let head = StoredResponse(metadata: metadata) else { return nil }
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
