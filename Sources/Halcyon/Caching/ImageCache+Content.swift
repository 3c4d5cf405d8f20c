internal import FoundationEssentials
internal import HalcyonHTTP
internal import HalcyonStore
internal import HalcyonSystem

/// Returns whether content may be stored on disk, or removed, now. Called on the thread that changes the disk.
typealias StoreAdmission = @Sendable () -> Bool

extension ImageCache {
    /// Stores an image in memory, if its claim is admitted.
    ///
    /// - Parameters:
    ///   - receivedAt: The date of an image whose validity is not known. Default: `nil`.
    ///   - isExact: Whether it is what the original makes; see ``CachedImage/isExact``. Default: `true`.
    ///   - sizes: The sizes of the image that it is one of.
    func remember(
        _ content: CachedImage.Content,
        byteCount: Int,
        _ validity: OriginalValidity?,
        receivedAt: Date? = nil,
        isExact: Bool = true,
        for key: ImageKey,
        _ claim: ContentClaim,
        _ policy: CachePolicy,
        sizes: ImageSizes?
    ) {
        // A request that ignores the server uses an image for as long as a cache has it.
        let isFollowed = policy.freshness != .ignoringServer
        let image = CachedImage(
            content,
            byteCount: byteCount,
            validity: validity,
            receivedAt: receivedAt,
            dropsSilence: isFollowed,
            isExact: isExact,
            digest: claim.digest
        )
        variants.note(key.variant)
        let isStored = memory.store(
            image,
            for: key,
            cost: image.cost(under: key),
            expiration: policy.memoryExpiration,
            latest: isFollowed ? validity?.silentEnd.map(Expiration.date) : nil
        ) { order.admits(claim, key, in: .memory) }
        if isStored, let sizes { noteSize(key, of: image, sizes) }
    }

    /// Returns the admission of a claim to the item of a key on disk.
    func admission(of claim: ContentClaim, _ key: ImageKey) -> StoreAdmission {
        { [order] in order.admits(claim, key, in: .disk) }
    }

    /// Returns the admission to remove something from disk because of an answer of its server.
    func removal(by claim: ContentClaim) -> StoreAdmission {
        { [order] in order.isNewest(claim) }
    }

    /// Removes an image from memory because of an answer of its server, unless newer work has stored it.
    func forget(_ key: ImageKey, _ claim: ContentClaim) {
        memory.remove(for: key) { _ in order.isNewest(claim) }
    }

    /// Returns whether a result on disk is not known to be made of an outdated original.
    func isCurrent(_ metadata: ProcessedImageMetadata, for key: ImageKey) -> Bool {
        order.isCurrent(
            metadata.contentDigest,
            of: metadata.representation,
            at: CacheKey(text: key.processedDiskKey)
        )
    }

    /// Returns whether content of a tier is not known to be outdated. What came with the program counts as new until its
    /// server has sent other content.
    func isCurrent(_ digest: ContentDigest?, of representation: String, at place: CacheTiers.Location) -> Bool {
        tiers.all[place.tier].isReadOnly
            ? answers?.isNewest(digest, named: place.key.name) ?? true
            : order.isCurrent(digest, of: representation, at: place.key)
    }

    /// Returns the original that the tiers have in the place of new content, for a load that has asked none of them; `nil` if
    /// they have none that is not known to be outdated. Also in a task that was cancelled.
    func original(inPlaceOf claim: ContentClaim, named name: String) async -> ContentClaim.Found? {
        let keys = claim.representation.isEmpty ? [CacheKey(name: name)] : OriginalStorage.diskKeys(name)
        // An original that is adopted although its load was cancelled outdates no less.
        let search = Task { [tiers] in
            for tier in tiers.all.indices {
                for key in keys {
                    let found = await tiers.content(key, in: tier, expired: true)
                    guard let (content, place) = found else { if key == keys[0] { break } else { continue } }
                    guard claim.representation.isEmpty || content.representation == claim.representation,
                        isCurrent(content.digest, of: content.representation, at: place)
                    else { continue }
                    return content.digest.map { ContentClaim.Found(digest: $0, storedAt: content.storedAt) }
                }
            }
            return nil
        }
        return await search.value
    }

    /// Adopts the content of a transfer, and removes from memory what was made of other content.
    ///
    /// Complexity: O(n) in the number of variants that memory has had; with more than ``StoredVariants/limit`` of them, in
    /// the number of images in memory.
    ///
    /// - Returns: `true` if other content has to be removed from disk; see ``removeOutdated(_:after:)``.
    func adopt(_ claim: ContentClaim, for key: ImageKey) -> Bool {
        answers?.note(claim, named: key.originalDiskKey)
        guard order.adopt(claim) else { return false }
        forgetOutdated(claim, for: key)
        return true
    }

    /// Removes from memory what was made of other content than the name of a key has now.
    func forgetOutdated(_ claim: ContentClaim, for key: ImageKey) {
        let keys = variants.keys(ofOriginalOf: key) ?? memory.keys(where: { $0.hasOriginal(of: key) })
        let original = CacheKey(name: key.originalDiskKey)
        var hasOthers = claim.digest == nil || claim.replacesOther
        for other in keys {
            memory.remove(for: other) { [order] image in
                guard let digest = image.digest else { return false }
                let isOutdated = !order.isCurrent(digest, of: image.representation, at: original)
                hasOthers = hasOthers || isOutdated
                return isOutdated
            }
        }
        guard hasOthers else { return }
        // What the program stored as a result was made of those.
        order.noteChange(by: claim)
        for other in keys {
            let result = CacheKey(text: other.processedDiskKey)
            memory.remove(for: other) { [order] in
                $0.digest == nil && !order.isCurrent(nil, of: $0.representation, at: result)
            }
        }
    }

    /// Removes from all tiers what was made of other content than the name of a claim has now.
    ///
    /// - Returns: The removal in progress. Until it ends, nothing of it is found in this process.
    @discardableResult
    func removeOutdated(_ claim: ContentClaim, after stores: [Task<Void, Never>]) -> Task<Void, Never>? {
        claim.registrations[order].map { tiers.removeOutdated(claim, $0, after: stores) }
    }
}

/// The content that an entry is, or was made of.
struct EntryContent {
    let key: CacheKey
    let digest: ContentDigest?
    let representation: String
    /// The time of its arrival; `nil` if that is not known.
    let storedAt: Date?
    /// The time at which an original was asked for; `nil` for a result, and if that is not known.
    private let requestTime: Date?

    init(_ row: DiskCache.Row) {
        let key = CacheKey(text: row.key)
        self.init(key, key.isOriginal ? ContentDigest(row.bodyHash) : nil, row.metadata, row.storedAt)
    }

    init(_ entry: TierEntry, at key: CacheKey) {
        self.init(key, key.isOriginal ? entry.originalDigest : nil, entry.metadata, entry.storedAt)
    }

    /// - Parameter original: The digest of an original; `nil` for a result, whose metadata has it.
    private init(_ key: CacheKey, _ original: ContentDigest?, _ metadata: Data, _ storedAt: Date?) {
        self.key = key
        self.storedAt = storedAt
        if let original {
            digest = original
            let head = StoredResponse(metadata: metadata)
            representation = head?.contentRepresentation ?? ""
            requestTime = head?.requestTime
        } else {
            let metadata = ProcessedImageMetadata(metadata)
            digest = metadata?.contentDigest
            representation = metadata?.representation ?? ""
            requestTime = nil
        }
    }

    /// Returns whether it is an original that another process has asked for later than for that of a claim.
    func isNewer(than claim: ContentClaim) -> Bool {
        guard let requestTime, let other = claim.requestTime else { return false }
        return requestTime > other && representation == claim.representation
    }
}

extension DiskCache.OriginalReference {
    /// The basis of an original of a server, in its place; `nil` for other entries.
    init?(_ entry: TierEntry, at key: CacheKey, isAnswer: Bool) {
        guard key.isOriginal, let head = StoredResponse(metadata: entry.metadata) else { return nil }
        self.init(key, entry.originalDigest, head, isAnswer: isAnswer)
    }

    /// The basis of an original, or of what was made of it. As within a process, content is as new as the request for it
    /// that was sent last.
    init(_ key: CacheKey, _ digest: ContentDigest, _ head: StoredResponse, isAnswer: Bool) {
        self.init(key.text, hash: digest.value, at: head.requestTime, isAnswer: isAnswer) {
            StoredResponse(metadata: $0)?.requestTime
        }
    }
}

extension ContentClaim.Found {
    /// The original of an entry.
    init(_ entry: TierEntry) {
        self.init(digest: entry.originalDigest, storedAt: entry.storedAt)
    }
}

extension TierEntry {
    /// The digest of an original.
    var originalDigest: ContentDigest { digest.map(ContentDigest.init) ?? ContentDigest(of: body) }
}

extension StoredResponse {
    /// The representation of the original, in the order of content; empty for one that is the same for all requests.
    var contentRepresentation: String { isVarying ? representation : "" }
}

extension OriginalValidity {
    /// The representation of the original, in the order of content; empty for one that is the same for all requests.
    var representation: String { isVarying ? response.representation : "" }
}
