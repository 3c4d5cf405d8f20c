internal import FoundationEssentials
internal import HalcyonConcurrency
internal import HalcyonStore

/// An entry that was found on the disk of one cache, to be stored on that of another.
struct DiskCopy: Sendable {
    private let body: Data
    private let metadata: Data
    private let name: String
    private let slot: (@Sendable (DiskCache) -> String?)?
    private let key: ImageKey
    private let expiration: Expiration
    private let limit: Expiration?
    private let durability: DiskCache.Durability
    private let claim: ContentClaim

    /// - Parameters:
    ///   - entry: The entry as it was found.
    ///   - metadata: That of the copy.
    ///   - name: The key of the entry, or the name of several entries of which `slot` picks one.
    ///   - slot: Picks the key when the entry is stored. Default: the name.
    ///   - item: The item that it is.
    ///   - limit: The expiration that the request gives it, which makes that of the entry earlier, and never later.
    ///   - claim: The claim of the look-up that found it, which began before.
    init(
        _ entry: DiskCache.Entry,
        metadata: Data,
        name: String,
        slot: (@Sendable (DiskCache) -> String?)? = nil,
        key: ImageKey,
        limit: Expiration?,
        durability: DiskCache.Durability,
        claim: ContentClaim
    ) {
        self.init(
            entry.body,
            metadata: metadata,
            name: name,
            slot: slot,
            key: key,
            expiration: entry.expiration,
            limit: limit,
            durability: durability,
            claim: claim
        )
    }

    /// The parameters are those of the other initializer, with the body and the expiration of the entry.
    init(
        _ body: Data,
        metadata: Data,
        name: String,
        slot: (@Sendable (DiskCache) -> String?)? = nil,
        key: ImageKey,
        expiration: Expiration,
        limit: Expiration?,
        durability: DiskCache.Durability,
        claim: ContentClaim
    ) {
        self.body = body
        self.metadata = metadata
        self.name = name
        self.slot = slot
        self.key = key
        self.expiration = expiration
        self.limit = limit
        self.durability = durability
        self.claim = claim
    }

    /// Starts to store the copy, unless the cache has something newer, or the entry was removed from it meanwhile.
    ///
    /// - Returns: The store; `nil` if the disk is behind with its stores. No look-up waits for a copy, so that those
    ///   that wait in memory would have no bound, and the entry is found where it is.
    func store(in cache: ImageCache, priority: PriorityBox) -> Task<Void, Never>? {
        if cache.disk.isBehind { return nil }
        let now = cache.disk.now()
        let limit = limit.flatMap { $0.interval(since: now) < expiration.interval(since: now) ? $0 : nil }
        return cache.disk.store(
            for: name,
            slot: slot,
            expiration: limit ?? expiration,
            durability: durability,
            byteCount: body.count,
            priority: priority,
            admission: cache.admission(of: claim, key),
            content: { [body, metadata] in (body, metadata) }
        )
    }
}

extension DiskCache.Entry {
    /// Returns the metadata of a copy of this entry, which states since when it is valid where the time of its store
    /// alone said so: the copy is stored later.
    func metadata(stating validity: OriginalValidity?, isOriginal: Bool) -> Data {
        guard let validity else { return metadata }
        if isOriginal { return metadata.isEmpty ? validity.response.metadata : metadata }
        return ProcessedImageMetadata(metadata)?.stating(validity).data ?? metadata
    }
}
