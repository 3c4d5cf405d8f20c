internal import HalcyonStore

/// The permits of one piece of work: one for each cache that it may store in.
struct StorePermits: Sendable {
    private let permits: [StorePermit]

    /// Begins work on what a key names.
    init(for key: ImageKey, in caches: [ImageCache], _ kind: StorePermit.Kind = .load) {
        let name = key.originalDiskKey
        permits = caches.map { $0.order.permit(for: name, kind) }
    }

    init(_ permit: StorePermit) {
        permits = [permit]
    }

    /// The work may share other work that began since then.
    var sharesSince: UInt64 { permits.map(\.sharesSince).max() ?? 0 }

    subscript(order: StoreOrder) -> StorePermit? { permits.first { $0.order === order } }
}

/// What is to be stored, as far as its age is concerned.
struct StoreClaim: Sendable {
    /// Since the load began; `nil` for what is not part of one.
    var load: StorePermits?
    /// Since the original was asked for; `nil` where it was not: its result was on disk.
    var original: StorePermits?
    /// How old the content is.
    var age: ContentAge

    /// Whether it may be stored now, as ``StoreOrder/admits(_:_:_:with:in:)`` says.
    func isAdmitted(
        to order: StoreOrder,
        _ place: StoreOrder.Place,
        with companion: StoreOrder.Place? = nil,
        in tier: StoreOrder.Tiers
    ) -> Bool {
        let permits = [load?[order], original?[order]].compactMap(\.self)
        return order.admits(permits, age, place, with: companion, in: tier)
    }
}

extension ImageCache {
    /// Keeps an image in memory, if its claim holds.
    ///
    /// - Parameter original: The place on disk of the same image, if it is no result of processing.
    func remember(
        _ image: CachedImage,
        for key: ImageKey,
        original: StoreOrder.Place?,
        _ claim: StoreClaim,
        expiration: Expiration?
    ) {
        memory.insert(image, for: key, cost: image.cost, expiration: expiration) {
            claim.isAdmitted(to: order, .image(key), with: original, in: .memory)
        }
    }

    /// Asks on the thread that changes the disk whether a claim holds there.
    func admission(
        of claim: StoreClaim,
        _ place: StoreOrder.Place,
        with companion: StoreOrder.Place? = nil
    ) -> @Sendable () -> Bool {
        { [order] in claim.isAdmitted(to: order, place, with: companion, in: .disk) }
    }

    /// Removes an image from memory in favour of one that must not be kept, if the claim of that holds.
    func forget(_ key: ImageKey, _ claim: StoreClaim) {
        memory.remove(key) { claim.isAdmitted(to: order, .image(key), in: .memory) }
    }
}
