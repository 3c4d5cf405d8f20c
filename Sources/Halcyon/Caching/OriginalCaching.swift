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
    /// Whether anything made of it may be kept at all.
    var isStorable = true
    /// For how long and for whom.
    var validity: OriginalValidity?

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
    static var none: OriginalCaching {
        var caching = OriginalCaching()
        caching.isStorable = false
        return caching
    }

    /// As the server says.
    init(_ answer: HTTPCacheResponse, storage: OriginalStorage) {
        entry = storage.pending.map { Entry(diskKey: $0.diskKey, slot: $0.slot, metadata: $0.head.metadata) }
        if answer.source == .network { replaced = storage.found } else { source = storage.found }
        guard let head = answer.stored else {
            isStorable = false
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
