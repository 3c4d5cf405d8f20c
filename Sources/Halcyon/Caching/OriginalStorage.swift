internal import FoundationEssentials
internal import HalcyonConcurrency
internal import HalcyonHTTP
internal import HalcyonStore

/// The originals of one URL on disk, as an HTTP cache sees them: a few representations, each an entry whose metadata is
/// the head of its response.
///
/// The first has the original's own name. Only where it varies are there others, with numbers after the name, so that
/// looking up an original that does not vary reads one entry.
///
/// Responses that the cache stores are only noted: that the bytes are an image is known after decoding.
final class OriginalStorage: HTTPCacheStorage {
    /// The most representations of one URL.
    static let slotCount = 4

    /// A response to be stored, and under which name.
    struct Pending: Sendable {
        let diskKey: String
        /// A function that picks its place among the representations under that name, when it is stored: others may be
        /// stored until then. `nil`: the first.
        let slot: (@Sendable (DiskCache) -> String?)?
        let head: StoredResponse
    }

    /// The place of a stored original, and the version that was found there.
    struct Entry: Sendable {
        let disk: AsyncDiskCache
        let diskKey: String
        let version: DiskCache.Version
    }

    /// An entry, as it was when it was found.
    private struct Found {
        let disk: AsyncDiskCache
        let diskKey: String
        var head: StoredResponse
        var version: DiskCache.Version
        let age: ContentAge
    }

    private struct State {
        /// The entry that was found, which may get another head.
        var found: Found?
        var pending: Pending?
    }

    /// The caches in the order of looking; the first keeps new originals.
    private let caches: [ImageCache]
    private let key: ImageKey
    private let diskKey: String
    private let url: URL
    private let reads: Bool
    private let policy: CachePolicy
    private let keepsAnyStatus: Bool
    private let priority: PriorityBox
    /// Returns whether the server's last answer was to another request than the load shows, so that it changes nothing
    /// here.
    private let isForOthers: @Sendable () -> Bool
    private let state = Lock(State())

    /// - Parameters:
    ///   - transfer: The request as sent. An entry without a head is taken to be from its URL.
    ///   - fetcher: Asks the server for the load.
    ///   - reads: A Boolean value that indicates whether stored originals may answer.
    convenience init(
        for request: ResolvedRequest,
        _ transfer: TransferRequest,
        _ fetcher: OriginalFetcher,
        reads: Bool,
        priority: PriorityBox
    ) {
        self.init(
            of: request.key,
            from: transfer.url.withoutUser,
            in: request.originalCaches,
            policy: request.options.cache,
            reads: reads,
            isForOthers: { fetcher.isForOthers },
            priority: priority
        )
    }

    /// - Parameters:
    ///   - url: The URL that an entry without a head is taken to be from.
    ///   - caches: The caches in the order of looking; the first keeps new originals.
    ///   - reads: A Boolean value that indicates whether stored originals may answer. Default: `true`.
    ///   - keepsAnyStatus: A Boolean value that indicates whether responses are kept that cannot be an image, those of
    ///     other statuses than 200 and 203. Default: `false`.
    ///   - isForOthers: Returns whether the server's last answer was to another request than the load shows. Default:
    ///     `false`.
    init(
        of key: ImageKey,
        from url: URL,
        in caches: [ImageCache],
        policy: CachePolicy,
        reads: Bool = true,
        keepsAnyStatus: Bool = false,
        isForOthers: @escaping @Sendable () -> Bool = { false },
        priority: PriorityBox
    ) {
        self.caches = caches
        self.key = key
        diskKey = key.originalDiskKey
        self.url = url
        self.reads = reads
        self.policy = policy
        self.keepsAnyStatus = keepsAnyStatus
        self.priority = priority
        self.isForOthers = isForOthers
    }

    /// Returns the names that an original's representations may have on disk.
    static func diskKeys(_ diskKey: String) -> [String] {
        (0..<slotCount).map { Self.diskKey(diskKey, slot: $0) }
    }

    private static func diskKey(_ diskKey: String, slot: Int) -> String {
        slot == 0 ? diskKey : "\(diskKey)\0\(ParsedDiskKey.slotMark)\(slot)"
    }

    /// The response that the cache asked to store.
    var pending: Pending? { state.withLock { $0.pending } }

    /// The age of the entry that was found.
    var age: ContentAge {
        state.withLock { $0.found?.age } ?? .unknown
    }

    /// The place of the entry that was found.
    var found: Entry? {
        state.withLock { state in
            state.found.map { Entry(disk: $0.disk, diskKey: $0.diskKey, version: $0.version) }
        }
    }

    func response(
        for key: String,
        where matches: @Sendable (StoredResponse) -> Bool
    ) async -> (head: StoredResponse, body: Data)? {
        guard reads else { return nil }
        for cache in caches {
            if let response = await response(in: cache, where: matches) { return response }
        }
        // A bundled original is taken for new: it is as recent as the program.
        for cache in caches {
            if let data = try? await cache.bundledOriginal(self.key, priority: priority) {
                return (StoredResponse(url: url, responseTime: cache.disk.now()), data)
            }
        }
        return nil
    }

    private func response(
        in cache: ImageCache,
        where matches: @Sendable (StoredResponse) -> Bool
    ) async -> (head: StoredResponse, body: Data)? {
        let disk = cache.disk
        try? await disk.settle(diskKey, priority: priority)
        let ages = cache.order.agesOfOriginal(named: diskKey)
        for slot in 0..<Self.slotCount {
            let diskKey = Self.diskKey(self.diskKey, slot: slot)
            guard let (head, entry) = await entry(diskKey, in: disk) else {
                if slot == 0 { return nil }
                continue
            }
            if matches(head) {
                let age = ages[.ofOriginal(head)] ?? .unknown
                state.withLock {
                    $0.found = Found(disk: disk, diskKey: diskKey, head: head, version: entry.version, age: age)
                }
                return (head, entry.body)
            }
            guard head.isVarying else { return nil }
        }
        return nil
    }

    func store(
        _ head: StoredResponse,
        body: Data,
        for key: String,
        replacing isReplaced: @escaping @Sendable (StoredResponse) -> Bool
    ) async {
        guard !isForOthers() else { return }
        let ignoresServer = policy.freshness == .ignoringServer
        guard keepsAnyStatus || isImage(head) else {
            // The response is not kept. The image is gone if this is about the image, and not about the client
            // or the time.
            if HTTPStatus.isAboutResource(head.status), let found = state.withLock({ $0.found }) {
                await found.disk.remove(for: found.diskKey, ifStill: found.version)
            }
            return
        }
        var slot: (@Sendable (DiskCache) -> String?)?
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

    func update(_ head: StoredResponse, replacing previous: StoredResponse, for key: String) async {
        guard !isForOthers(), let found = state.withLock({ $0.found }), found.head == previous else { return }
        // Its place may have been taken by another representation, or by what another process has stored.
        let version = await found.disk.updateMetadata(
            head.metadata,
            for: found.diskKey,
            expiration: policy.diskExpiration,
            replacing: found.version
        )
        guard let version else { return }
        state.withLock { state in
            guard state.found?.diskKey == found.diskKey, state.found?.version == found.version else { return }
            state.found?.head = head
            state.found?.version = version
        }
    }

    func remove(_ head: StoredResponse, for key: String) async {
        guard !isForOthers(), let found = state.withLock({ $0.found }), found.head == head else { return }
        await found.disk.remove(for: found.diskKey, ifStill: found.version)
    }

    func removeAll(for key: String) async {
        for cache in caches {
            for diskKey in Self.diskKeys(diskKey) { await cache.disk.remove(for: diskKey) }
        }
    }

    /// Returns the key of the representation that is replaced, else a free one, else that of the oldest.
    ///
    /// The other representations are found only after a first one that varies. Where there is none, as after a removal
    /// or an expiry, they are removed: they may have been replaced since by one that is gone as well.
    private static func slot(
        of diskKey: String,
        url: URL,
        in disk: DiskCache,
        replacing isReplaced: @Sendable (StoredResponse) -> Bool
    ) -> String {
        var free: Int?
        var oldest = (slot: 0, time: Date.distantFuture)
        for slot in 0..<slotCount {
            let key = Self.diskKey(diskKey, slot: slot)
            let head = disk.entry(for: key, extending: .none).flatMap { Self.head(of: $0, url: url) }
            if slot == 0, head?.isVarying != true {
                for other in diskKeys(diskKey).dropFirst() where disk.contains(other) {
                    _ = try? disk.remove(for: other)
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

    private func entry(_ diskKey: String, in disk: AsyncDiskCache) async -> (
        head: StoredResponse, entry: DiskCache.Entry
    )? {
        // Cancelling is noticed by the caller, which goes on with the load.
        let entry = try? await disk.entry(
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

    private static func head(of entry: DiskCache.Entry, url: URL) -> StoredResponse? {
        guard let head = StoredResponse(of: entry, url: url) else { return nil }
        return isSame(head.url, url) ? head.named(url) : head
    }

    /// Returns whether a URL names the image of this request. Names on disk that are equal are taken for the same
    /// image, and URLs that then differ in their queries alone, such as by a signature that is new each time, have the
    /// same validators.
    private static func isSame(_ other: URL, _ url: URL) -> Bool {
        let rule = CacheKeyRule.ignoringQuery
        return other != url && rule.key(for: other.absoluteString) == rule.key(for: url.absoluteString)
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
