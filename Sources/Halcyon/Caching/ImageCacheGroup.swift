/// Caches that are used together, in an order, with a policy for each verb.
///
/// A group takes the place of one cache: as ``ImagePipeline/Configuration/caches``, and in the options of a request.
///
/// ```swift
/// let group = ImageCacheGroup(recent, [archive], promotes: true)
/// let pipeline = ImagePipeline(configuration: .init(caches: group))
/// ```
///
/// A look-up searches memory before any disk, and disks before the server: each in the order of the caches. What a load
/// finds or makes keeps the rules of one cache. An image that is stored replaces the older ones in all caches, which
/// are removed where the policy stores it elsewhere. What a server does not have any more is removed from all of them,
/// whatever the policies. A removal by the group is final in each cache that it covers: a look-up that began before
/// stores nothing there, not from another cache of the group either.
///
/// Groups are equal if they have the same caches, in the same order, and the same policies.
public struct ImageCacheGroup: Sendable, Hashable {
    /// The caches that a verb applies to.
    public enum Policy: String, Sendable, Hashable, CaseIterable {
        /// All caches; for a look-up, in order, until one has the image.
        case all
        /// The first cache.
        case highest
        /// The last cache.
        case lowest
    }

    /// The caches, the highest first, each once.
    public let caches: [ImageCache]
    /// The caches that are searched, by loads and by the group.
    public let lookup: Policy
    /// The caches that images are stored in.
    public let storing: Policy
    /// The caches that ``contains(_:)`` and ``tiers(with:)`` ask.
    public let containing: Policy
    /// The caches that ``remove(for:from:)`` and ``removeAll(originalsBeginningWith:)`` remove images from.
    public let removing: Policy
    /// The caches that ``removeAll()``, ``removeAllFromMemory()`` and ``removeAllFromDisk()`` empty.
    public let clearing: Policy
    /// A Boolean value that indicates whether an image that is found in one cache is stored in those that were searched
    /// before it, in the same part: memory or disk.
    public let promotes: Bool

    /// Creates a group.
    ///
    /// - Parameters:
    ///   - highest: The first cache.
    ///   - lower: The other caches, in their order. A cache that is there already is left out. Default: none.
    ///   - lookup: See ``lookup``. Default: all, in order.
    ///   - storing: See ``storing``. Default: the highest.
    ///   - containing: See ``containing``. Default: all.
    ///   - removing: See ``removing``. Default: all.
    ///   - clearing: See ``clearing``. Default: all.
    ///   - promotes: See ``promotes``. Default: `false`.
    public init(
        _ highest: ImageCache,
        _ lower: [ImageCache] = [],
        lookup: Policy = .all,
        storing: Policy = .highest,
        containing: Policy = .all,
        removing: Policy = .all,
        clearing: Policy = .all,
        promotes: Bool = false
    ) {
        caches = lower.reduce(into: [highest]) { caches, cache in
            if !caches.contains(cache) { caches.append(cache) }
        }
        // Of one cache, each policy names that one: equal groups are then equal values.
        let isSingle = caches.count == 1
        self.lookup = isSingle ? .all : lookup
        self.storing = isSingle ? .all : storing
        self.containing = isSingle ? .all : containing
        self.removing = isSingle ? .all : removing
        self.clearing = isSingle ? .all : clearing
        self.promotes = isSingle ? false : promotes
    }

    /// The first cache.
    public var highest: ImageCache { caches[0] }

    /// Returns the caches that a policy names.
    func caches(_ policy: Policy) -> [ImageCache] {
        switch policy {
        case .all: caches
        case .highest: [caches[0]]
        case .lowest: [caches[caches.count - 1]]
        }
    }

    /// The caches that are searched, in their order.
    var searched: [ImageCache] { caches(lookup) }

    /// The caches that new images are stored in.
    var stored: [ImageCache] { caches(storing) }

    /// The caches that no new images are stored in, so that their older ones have to be removed.
    var unstored: [ImageCache] {
        storing == .all ? [] : caches.filter { !stored.contains($0) }
    }

    /// The caches in the order in which a newer answer replaces or removes what they have: the lowest first.
    ///
    /// So a look-up that finds the older image in a lower cache began before the change of each higher one, which keeps
    /// it from promoting that image afterwards. In the other order, one that begins between two changes would bring the
    /// older image back.
    var lowestFirst: [ImageCache] { caches.count == 1 ? caches : caches.reversed() }

    /// Returns the caches that an image found in one of them is stored in as well.
    func promotionTargets(from cache: ImageCache) -> [ImageCache] {
        guard promotes, let index = searched.firstIndex(of: cache) else { return [] }
        return Array(searched[..<index])
    }
}
