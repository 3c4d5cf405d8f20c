internal import FoundationEssentials
internal import HalcyonHTTP
internal import HalcyonStore

/// What becomes of an original in the caches.
struct OriginalCaching: Sendable {
    /// How the disk is to keep the original; `nil`: it has it, or must not.
    var entry: Entry?
    /// The entry that the original came from, as it was; `nil`: it came from elsewhere.
    var source: OriginalStorage.Entry?
    /// Where the entry is that the original takes the place of; `nil`: nowhere.
    var replaced: OriginalStorage.Entry?
    /// The effect on the images that caches have under its name.
    var effect = Effect.store
    /// For how long and for whom.
    var validity: OriginalValidity?

    /// The effect of an original on the images that caches have under its name.
    enum Effect: Sendable {
        /// They are replaced by the images made of it.
        case store
        /// They are removed: it replaces them, and must not be stored.
        case remove
        /// They stay: it was for one load alone.
        case leave
    }

    /// An entry that is to be stored.
    struct Entry: Sendable {
        /// The name of the original.
        let diskKey: String
        /// Picks its place among the representations under that name; `nil`: the first.
        var slot: (@Sendable (DiskCache) -> String?)?
        let metadata: Data
    }

    /// The item of the original on disk.
    var item: StoreOrder.Item { .ofOriginal(validity?.response) }

    /// The server has no say in whether it is kept.
    ///
    /// - Parameter head: What the server said, for those who want to know.
    init(storingAs diskKey: String? = nil, foundAs source: OriginalStorage.Entry? = nil, head: StoredResponse? = nil) {
        entry = diskKey.map { Entry(diskKey: $0, metadata: head?.metadata ?? Data()) }
        self.source = source
        validity = head.map(OriginalValidity.init)
    }

    /// Nothing is kept.
    ///
    /// - Parameter source: The entry that it came from. Default: it came from elsewhere.
    init(_ effect: Effect, foundAs source: OriginalStorage.Entry? = nil) {
        self.init(foundAs: source)
        self.effect = effect
    }

    /// As the server says.
    init(_ answer: HTTPCacheResponse, storage: OriginalStorage) {
        let pending = storage.pending
        entry = pending.map { Entry(diskKey: $0.diskKey, slot: $0.slot, metadata: $0.head.metadata) }
        let isFetched = answer.source == .network
        if isFetched { replaced = storage.found } else { source = storage.found }
        // What the storage refuses is kept nowhere else either.
        guard let head = answer.stored, !isFetched || pending != nil else {
            effect = HTTPStatus.isAboutResource(answer.response.status) ? .remove : .leave
            return
        }
        validity = OriginalValidity(head)
    }
}

extension StoreOrder.Item {
    /// The item on disk of an original with this head.
    static func ofOriginal(_ head: StoredResponse?) -> StoreOrder.Item {
        guard let head, head.isVarying else { return .original }
        return .representation(head.representation)
    }
}
