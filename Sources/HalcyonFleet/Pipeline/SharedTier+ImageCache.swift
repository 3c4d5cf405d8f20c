public import Halcyon
internal import HalcyonStore

extension SharedTier {
    /// Makes the removals of other machines in a cache of this one, in memory and on disk, from now on.
    ///
    /// ```swift
    /// let tier = SharedTier(try FleetEngine("redis://cache.example"), secret: secret)
    /// let cache = ImageCache(disk: DiskCache.Configuration(name: "images"), tiers: [tier])
    /// tier.follow(cache)
    /// ```
    ///
    /// A removal by the program, and an original that has changed, reach the others in about a fifth of a millisecond. A machine
    /// that was away makes those that it has missed when it is back, and if there are more than the engine has kept, one of
    /// everything. Those of an engine that does not return are not heard: what is on disk then lives as long as it would have.
    ///
    /// - Parameter cache: One that has this tier. It is not kept alive.
    public func follow(_ cache: ImageCache) {
        follow { [weak cache] scope in await cache?.repeatRemoval(scope) }
    }
}
