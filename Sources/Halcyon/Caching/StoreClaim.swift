internal import FoundationEssentials
internal import HalcyonStore

/// The permits of one piece of work: one for each cache that it may store in.
struct StorePermits: Sendable {
    /// The permit for the first cache, which nearly always is the only one; `nil` if there is none.
    private let first: StorePermit?
    private let others: [StorePermit]

    /// Begins work on the image of a key.
    ///
    /// - Parameter begun: The ``WorkNumber`` of the request, if it is lower. Default: now.
    init(for key: ImageKey, in caches: [ImageCache], _ kind: StorePermit.Kind = .load, begun: UInt64? = nil) {
        let name = key.originalDiskKey
        first = caches.first?.order.permit(for: name, kind, begun: begun)
        others = caches.count < 2 ? [] : caches[1...].map { $0.order.permit(for: name, kind, begun: begun) }
    }

    init(_ permit: StorePermit) {
        first = permit
        others = []
    }

    /// The number since which the work may share other work.
    var sharesSince: UInt64 {
        others.reduce(first?.sharesSince ?? 0) { max($0, $1.sharesSince) }
    }

    subscript(order: StoreOrder) -> StorePermit? {
        if let first, first.order === order { return first }
        return others.first { $0.order === order }
    }
}

/// The age of content that is to be stored, and the permits of the work that brought it.
struct StoreClaim: Sendable {
    /// The permits since the load began; `nil` for content that is not part of a load.
    var load: StorePermits?
    /// The permits since the original was asked for; `nil` where it was not: its result was on disk.
    var original: StorePermits?
    /// The age of the content.
    var age: ContentAge
    /// The age of the answer by which its server confirmed the content; `nil`: the content came with its own answer, or the
    /// server was not asked.
    var confirmation: ContentAge?

    /// The claim of the server's answer, which may be newer than the content.
    var ofAnswer: StoreClaim { StoreClaim(load: load, original: original, age: confirmation ?? age) }

    /// Returns whether the content may be stored now, as ``StoreOrder/admits(_:_:_:with:in:)`` does.
    func isAdmitted(
        to order: StoreOrder,
        _ item: StoreOrder.Item,
        with companion: StoreOrder.Item? = nil,
        in tier: StoreOrder.Tiers
    ) -> Bool {
        order.admits(permits(of: order), age, item, with: companion, in: tier)
    }

    /// Returns whether the stored item has to be removed, as ``StoreOrder/admitsRemoval(_:_:_:in:)`` does.
    func removes(_ item: StoreOrder.Item, from tier: StoreOrder.Tiers, of order: StoreOrder) -> Bool {
        order.admitsRemoval(permits(of: order), age, item, in: tier)
    }

    /// Records that the server does not have the original any more, as ``StoreOrder/beginRemoval(ofOlderThan:_:)`` does.
    func beginRemoval(from order: StoreOrder) -> StoreOrder.Removal? {
        order.beginRemoval(ofOlderThan: permits(of: order), age)
    }

    /// Returns the items on disk that stay, as ``StoreOrder/newerItems(than:_:)`` does.
    func newerItems(in order: StoreOrder) -> Set<StoreOrder.Item>? {
        order.newerItems(than: permits(of: order), age)
    }

    private func permits(of order: StoreOrder) -> [StorePermit] {
        [load?[order], original?[order]].compactMap(\.self)
    }
}

/// A claim to an item on disk, asked for on the thread that changes the disk.
struct StoreAdmission: Sendable {
    fileprivate let order: StoreOrder
    fileprivate let claim: StoreClaim
    fileprivate let item: StoreOrder.Item
    fileprivate let companion: StoreOrder.Item?

    /// Returns whether the content may be stored, or the item that it replaces removed, now.
    func isGranted() -> Bool { claim.isAdmitted(to: order, item, with: companion, in: .disk) }

    /// Returns whether the content may not be stored although the stored item is older.
    func removesOlder() -> Bool { claim.removes(item, from: .disk, of: order) }
}

extension ImageCache {
    /// Stores an image in memory, if its claim is admitted.
    ///
    /// - Parameters:
    ///   - companion: Another item that newer work must not have changed either: the item on disk of the same image, if it
    ///     is not the result of processing, or the image of which it is an encoded form.
    ///   - latest: The date at which it expires however often it is used. Default: `nil`, which is never.
    ///   - sizes: The sizes of the image that it is one of. Default: none.
    func remember(
        _ image: CachedImage,
        for key: ImageKey,
        with companion: StoreOrder.Item?,
        _ claim: StoreClaim,
        expiration: Expiration?,
        latest: Date? = nil,
        sizes: ImageSizes? = nil
    ) {
        let latest = latest.map(Expiration.date)
        remember(image, for: key, with: companion, claim, expiration: expiration, until: latest, sizes: sizes)
    }

    /// The parameters are those of ``remember(_:for:with:_:expiration:latest:sizes:)``.
    func remember(
        _ image: CachedImage,
        for key: ImageKey,
        with companion: StoreOrder.Item?,
        _ claim: StoreClaim,
        expiration: Expiration?,
        until latest: Expiration?,
        sizes: ImageSizes?
    ) {
        variants.note(key.variant)
        var isAdmitted = false
        memory.store(image, for: key, cost: image.cost(under: key), expiration: expiration, latest: latest) {
            isAdmitted = claim.isAdmitted(to: order, .image(key), with: companion, in: .memory)
            return isAdmitted
        }
        if !isAdmitted { return forget(key, claim) }
        if let sizes { noteSize(key, of: image, sizes) }
    }

    /// Returns the admission of a claim to an item on disk.
    func admission(
        of claim: StoreClaim,
        _ item: StoreOrder.Item,
        with companion: StoreOrder.Item? = nil
    ) -> StoreAdmission {
        StoreAdmission(order: order, claim: claim, item: item, companion: companion)
    }

    /// Removes an image from memory in favor of one that must not be stored, unless it is the newer one.
    func forget(_ key: ImageKey, _ claim: StoreClaim) {
        memory.remove(for: key) { claim.removes(.image(key), from: .memory, of: order) }
    }
}
