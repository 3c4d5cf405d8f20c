internal import FoundationEssentials
internal import HalcyonHTTP
internal import HalcyonStore
internal import HalcyonSystem

/// The originals of one URL on disk, as an HTTP cache sees them: a few representations, each an entry whose metadata is
/// the head of its response.
///
/// The first has the original's own name. Only where it varies are there others, with numbers after the name, so that
/// looking up an original that does not vary reads one entry.
///
/// Responses that the cache stores are only noted: that the bytes are an image is known after decoding.
final class OriginalStorage: Sendable {
    /// A response to be stored, and under which name.
    struct Pending: Sendable {
        let diskKey: String
        /// A function that picks its place among the representations under that name, when it is stored: others may be
        /// stored until then. `nil`: the first.
        let slot: (@Sendable (DiskCache) -> CacheKey?)?
        let head: StoredResponse
    }

    /// The place of a stored original, and what was found there.
    struct Entry: Sendable {
        var place: CacheTiers.Location
        let content: ContentClaim.Found
        /// The head that it has; `nil` for an original that has none.
        var head: StoredResponse?
    }

    struct State {
        /// The entry that was found, which may get another head.
        var found: Entry?
        /// The first original that was found and whose time was over.
        var expired: ContentClaim.Found?
        var pending: Pending?
        /// `true` if the response that was found was replaced by another before its head could be updated.
        var isOvertaken = false
    }

    let cache: ImageCache
    let key: ImageKey
    let diskKey: String
    let url: URL
    let reads: Bool
    /// The number of tiers, from the first on, that are not asked.
    let skippedTiers: Int
    let policy: CachePolicy
    let keepsAnyStatus: Bool
    let priority: PriorityBox
    /// Returns whether the server's last answer came under another configuration than the load is known by, so that it changes
    /// nothing here.
    let isOfOtherConfiguration: @Sendable () -> Bool
    let state = Lock(State())

    convenience init(
        for request: ResolvedRequest,
        _ transfer: TransferRequest,
        _ fetcher: OriginalFetcher,
        priority: PriorityBox
    ) {
        self.init(
            of: request.key,
            from: transfer.url.withoutUser,
            in: request.originals,
            policy: request.options.cache,
            reads: request.work.readsDisk,
            skippedTiers: request.work.skippedTiers,
            isOfOtherConfiguration: { fetcher.isOfOtherConfiguration },
            priority: priority
        )
    }

    /// - Parameters:
    ///   - url: The URL that an entry without a head is taken to be from.
    ///   - reads: A Boolean value that indicates whether stored originals may answer. Default: `true`.
    ///   - skippedTiers: The number of tiers, from the first on, that are not asked. Default: none.
    ///   - keepsAnyStatus: A Boolean value that indicates whether responses are kept that cannot be an image, those of
    ///     other statuses than 200 and 203. Default: `false`.
    ///   - isOfOtherConfiguration: Returns whether the server's last answer came under another configuration than the load is known by.
    ///     Default: `false`.
    init(
        of key: ImageKey,
        from url: URL,
        in cache: ImageCache,
        policy: CachePolicy,
        reads: Bool = true,
        skippedTiers: Int = 0,
        keepsAnyStatus: Bool = false,
        isOfOtherConfiguration: @escaping @Sendable () -> Bool = { false },
        priority: PriorityBox
    ) {
        self.cache = cache
        self.key = key
        diskKey = key.originalDiskKey
        self.url = url
        self.reads = reads
        self.skippedTiers = skippedTiers
        self.policy = policy
        self.keepsAnyStatus = keepsAnyStatus
        self.priority = priority
        self.isOfOtherConfiguration = isOfOtherConfiguration
    }

    /// `true` if the response that was found was replaced by another before its head could be updated.
    var isOvertaken: Bool { state.withLock { $0.isOvertaken } }

    /// The response that the cache asked to store.
    var pending: Pending? { state.withLock { $0.pending } }

    /// The entry that was found.
    var found: Entry? { state.withLock { $0.found } }

    /// The original that was found, also one whose time was over.
    var content: ContentClaim.Found? { state.withLock { $0.found?.content ?? $0.expired } }
}

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
                let place = CacheTiers.Location(tier: tier, key: key, version: entry.version)
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
        if let head = Self.head(of: entry.metadata, storedAt: storedAt, url: url, isShared: cache.isShared) {
            return head
        }
        return policy.freshness == .ignoringServer ? StoredResponse(url: url, responseTime: storedAt) : nil
    }

    /// Returns the head of an entry of this original, under the URL of the request; `nil` if it cannot be read.
    static func head(of metadata: Data, storedAt: Date, url: URL, isShared: Bool = false) -> StoredResponse? {
        // An entry without a head was stored by hand.
        guard !metadata.isEmpty else { return StoredResponse(url: url, responseTime: storedAt) }
        guard let head = StoredResponse(metadata: metadata, isShared: isShared) else { return nil }
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

extension OriginalStorage: HTTPCacheStorage {
    func store(
        _ head: StoredResponse,
        body: Data,
        replacing isReplaced: @escaping @Sendable (StoredResponse) -> Bool
    ) async {
        guard !isOfOtherConfiguration() else { return }
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
        guard !isOfOtherConfiguration(), let found = state.withLock({ $0.found }), found.head == previous else {
            return
        }
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
        guard !isOfOtherConfiguration(), let found = state.withLock({ $0.found }), found.head == head else { return }
        await cache.tiers.remove(found.place)
    }
}

extension OriginalStorage {
    /// The most representations of one URL.
    static let slotCount = 4

    /// Returns the names that an original's representations may have on disk.
    static func diskKeys(_ diskKey: String) -> [CacheKey] {
        (0..<slotCount).map { Self.diskKey(diskKey, slot: $0) }
    }

    /// Returns the name of one of an original's representations on disk.
    static func diskKey(_ diskKey: String, slot: Int) -> CacheKey {
        CacheKey(name: diskKey, variant: slot == 0 ? nil : "\(ParsedDiskKey.slotMark)\(slot)")
    }

    /// Returns the key of the representation that is replaced, else a free one, else that of the oldest.
    ///
    /// The other representations are found only after a first one that varies. Where there is none, as after a removal
    /// or an expiry, they are removed: they may have been replaced since by one that is gone as well.
    static func slot(
        of diskKey: String,
        url: URL,
        in disk: DiskCache,
        replacing isReplaced: @Sendable (StoredResponse) -> Bool
    ) -> CacheKey {
        var free: Int?
        var oldest = (slot: 0, time: Date.distantFuture)
        for slot in 0..<slotCount {
            let key = Self.diskKey(diskKey, slot: slot)
            let head = disk.entry(for: key.text, extending: .none)
                .flatMap { Self.head(of: $0.metadata, storedAt: $0.storedAt, url: url) }
            if slot == 0, head?.isVarying != true {
                for other in diskKeys(diskKey).dropFirst() where disk.contains(other.text) {
                    _ = try? disk.remove(for: other.text)
                }
                return key
            }
            guard let head else {
                free = free ?? slot
                continue
            }
            if isReplaced(head) || !head.isVarying { return key }
            if head.responseTime < oldest.time { oldest = (slot, head.responseTime) }
        }
        return Self.diskKey(diskKey, slot: free ?? oldest.slot)
    }
}
