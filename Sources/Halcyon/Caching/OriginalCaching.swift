internal import FoundationEssentials
internal import HalcyonHTTP
internal import HalcyonStore

/// The effect of an original on the caches.
struct OriginalCaching: Sendable {
    /// The entry that the disk is to store; `nil` if it has the original, or must not store it.
    var entry: Entry?
    /// The entry that the original came from, as it was; `nil` if it came from elsewhere.
    var source: OriginalStorage.Entry?
    /// The entry that the original replaces; `nil` if there is none.
    var replaced: OriginalStorage.Entry?
    /// The original that a cache had in its place, also one whose time was over; `nil` if none was found.
    var found: ContentClaim.Found?
    /// The effect on the images that caches have under its name.
    var effect = Effect.store
    /// The time and the requests for which the original may be used.
    var validity: OriginalValidity?

    /// The effect of an original on the images that caches have under its name.
    enum Effect: Sendable {
        /// They are replaced by the images made of it.
        case store
        /// They are removed: it replaces them, and must not be stored.
        case remove
        /// The original and everything that was made of it are removed: its server does not have it any more.
        case removeOriginal
        /// They stay, as it is for one load alone.
        case leave
    }

    /// An entry that is to be stored.
    struct Entry: Sendable {
        /// The name of the original.
        let diskKey: String
        /// Returns its place among the representations under that name; `nil` for the first.
        var slot: (@Sendable (DiskCache) -> CacheKey?)?
        let metadata: Data

        /// Returns the entry for a place that is picked when it is stored; `nil` if nothing is to be stored then.
        func with(_ slot: @escaping @Sendable (DiskCache) -> CacheKey?) -> Entry {
            Entry(diskKey: diskKey, slot: slot, metadata: metadata)
        }
    }

    /// Creates the effect of an original whose caching no server decides.
    ///
    /// - Parameter head: The head of the server's response, which gives the validity. Default: none.
    init(storingAs diskKey: String? = nil, foundAs source: OriginalStorage.Entry? = nil, head: StoredResponse? = nil) {
        entry = diskKey.map { Entry(diskKey: $0, metadata: head?.metadata ?? Data()) }
        self.source = source
        found = source?.content
        validity = head.map(OriginalValidity.init)
    }

    /// Creates the effect of an original that is not stored.
    init(_ effect: Effect, foundAs source: OriginalStorage.Entry? = nil) {
        self.init(foundAs: source)
        self.effect = effect
    }

    /// Creates the effect of a response, as the server says.
    init(_ answer: HTTPCacheResponse, storage: OriginalStorage) {
        let pending = storage.pending
        entry = pending.map { Entry(diskKey: $0.diskKey, slot: $0.slot, metadata: $0.head.metadata) }
        let isFetched = answer.source == .network
        if isFetched { replaced = storage.found } else { source = storage.found }
        found = storage.content
        // A response that the storage refuses is not stored elsewhere either.
        guard let head = answer.stored, !isFetched || pending != nil else {
            let status = answer.response.status
            effect = HTTPStatus.isGone(status) ? .removeOriginal : HTTPStatus.isAboutResource(status) ? .remove : .leave
            let cache = storage.cache
            validity = OriginalValidity(
                StoredResponse(passedOn: answer.response, at: cache.disk.now(), isShared: cache.isShared)
            )
            return
        }
        validity = OriginalValidity(head)
    }
}
