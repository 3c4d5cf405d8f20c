internal import FoundationEssentials
internal import HalcyonStore

/// The permits of one piece of work: one for each cache that it may store in.
struct StorePermits: Sendable {
    private let permits: [StorePermit]

    /// Begins work on what a key names.
    ///
    /// - Parameter begun: When it was asked for, by its ``WorkNumber``, if that was earlier. Default: now.
    init(for key: ImageKey, in caches: [ImageCache], _ kind: StorePermit.Kind = .load, begun: UInt64? = nil) {
        let name = key.originalDiskKey
        permits = caches.map { $0.order.permit(for: name, kind, begun: begun) }
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
        order.admits(permits(of: order), age, place, with: companion, in: tier)
    }

    /// Whether what is there now has to go, as ``StoreOrder/admitsRemoval(_:_:_:in:)`` says.
    func removes(_ place: StoreOrder.Place, from tier: StoreOrder.Tiers, of order: StoreOrder) -> Bool {
        order.admitsRemoval(permits(of: order), age, place, in: tier)
    }

    private func permits(of order: StoreOrder) -> [StorePermit] {
        [load?[order], original?[order]].compactMap(\.self)
    }
}

/// Asks on the thread that changes the disk what a claim allows there.
struct StoreAdmission: Sendable {
    fileprivate let order: StoreOrder
    fileprivate let claim: StoreClaim
    fileprivate let place: StoreOrder.Place
    fileprivate let companion: StoreOrder.Place?

    /// Whether the content may be stored, or what it takes the place of may be removed, now.
    func isGranted() -> Bool { claim.isAdmitted(to: order, place, with: companion, in: .disk) }

    /// Whether the content may not be stored, and what is there is older all the same.
    func removesOlder() -> Bool { claim.removes(place, from: .disk, of: order) }
}

extension ImageCache {
    /// Keeps an image in memory, if its claim holds.
    ///
    /// - Parameters:
    ///   - original: The place on disk of the same image, if it is no result of processing.
    ///   - latest: When it goes however often it is used; `nil`, the default: never.
    func remember(
        _ image: CachedImage,
        for key: ImageKey,
        original: StoreOrder.Place?,
        _ claim: StoreClaim,
        expiration: Expiration?,
        latest: Date? = nil
    ) {
        var isAdmitted = false
        let latest = latest.map(Expiration.date)
        memory.store(image, for: key, cost: image.cost, expiration: expiration, latest: latest) {
            isAdmitted = claim.isAdmitted(to: order, .image(key), with: original, in: .memory)
            return isAdmitted
        }
        if !isAdmitted { forget(key, claim) }
    }

    /// The right to store something on disk.
    func admission(
        of claim: StoreClaim,
        _ place: StoreOrder.Place,
        with companion: StoreOrder.Place? = nil
    ) -> StoreAdmission {
        StoreAdmission(order: order, claim: claim, place: place, companion: companion)
    }

    /// Removes an image from memory in favour of one that must not be kept, unless it is the newer one.
    func forget(_ key: ImageKey, _ claim: StoreClaim) {
        memory.remove(for: key) { claim.removes(.image(key), from: .memory, of: order) }
    }
}
