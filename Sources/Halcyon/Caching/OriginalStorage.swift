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
        var place: CacheTiers.Place
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
    let isOutdated: @Sendable () -> Bool
    let state = Lock(State())

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
            in: request.originals,
            policy: request.options.cache,
            reads: reads,
            skippedTiers: request.work.skippedTiers,
            isOutdated: { fetcher.isOutdated },
            priority: priority
        )
    }

    /// - Parameters:
    ///   - url: The URL that an entry without a head is taken to be from.
    ///   - reads: A Boolean value that indicates whether stored originals may answer. Default: `true`.
    ///   - skippedTiers: The number of tiers, from the first on, that are not asked. Default: none.
    ///   - keepsAnyStatus: A Boolean value that indicates whether responses are kept that cannot be an image, those of
    ///     other statuses than 200 and 203. Default: `false`.
    ///   - isOutdated: Returns whether the server's last answer came under another configuration than the load is known by.
    ///     Default: `false`.
    init(
        of key: ImageKey,
        from url: URL,
        in cache: ImageCache,
        policy: CachePolicy,
        reads: Bool = true,
        skippedTiers: Int = 0,
        keepsAnyStatus: Bool = false,
        isOutdated: @escaping @Sendable () -> Bool = { false },
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
        self.isOutdated = isOutdated
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
