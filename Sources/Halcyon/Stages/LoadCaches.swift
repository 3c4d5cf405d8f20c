/// The caches of one load, in their roles.
struct LoadCaches: Sendable {
    /// The caches of the image.
    let targets: ImageCacheGroup
    /// The caches of the original; `nil`: those of the image.
    private let originals: ImageCacheGroup?
    /// The caches that are searched for the original, in their order.
    let searchedForOriginal: [ImageCache]
    /// All caches that the load may change.
    let all: [ImageCache]

    init(targets: ImageCacheGroup, originals: ImageCacheGroup?) {
        self.targets = targets
        self.originals = originals == targets ? nil : originals
        guard let originals = self.originals else {
            searchedForOriginal = targets.searched
            all = targets.caches
            return
        }
        searchedForOriginal = Self.union(originals.searched, targets.searched)
        all = Self.union(originals.caches, targets.caches)
    }

    private static func union(_ first: [ImageCache], _ second: [ImageCache]) -> [ImageCache] {
        first + second.filter { !first.contains($0) }
    }

    /// The caches that new originals are stored in, or in which they replace older ones.
    var storesOfOriginal: ImageCacheGroup { originals ?? targets }

    /// All caches, in the order in which a newer answer changes them; see ``ImageCacheGroup/lowestFirst``.
    var lowestFirst: [ImageCache] { all.count == 1 ? all : all.reversed() }

    /// Returns the caches that an original found in one of them is stored in as well.
    func promotionTargetsOfOriginal(from cache: ImageCache) -> [ImageCache] {
        if let originals, originals.searched.contains(cache) { return originals.promotionTargets(from: cache) }
        return targets.promotionTargets(from: cache)
    }
}

extension LoadCaches {
    /// The caches of a load with these options.
    ///
    /// - Parameter own: The pipeline's own caches.
    init(_ options: ImageOptions, own: ImageCacheGroup) {
        self.init(
            targets: options.cache.targetCaches ?? own,
            originals: options.loadProcessing.isIdentity ? nil : options.cache.originalCaches
        )
    }
}

extension ResolvedRequest {
    /// Returns the caches whose memory gets an unprocessed image that was found on disk: the one that has it, and those
    /// that its group promotes it to. `nil` for all others, which are stored as new ones are.
    func cachesWithFound(_ entry: OriginalStorage.Entry?) -> [ImageCache]? {
        guard !isProcessed, let entry, let cache = caches.targets.searched.first(where: { $0.disk === entry.disk })
        else { return nil }
        return [cache] + caches.targets.promotionTargets(from: cache)
    }
}
