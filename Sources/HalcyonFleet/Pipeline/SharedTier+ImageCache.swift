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
    /// that was away makes those that it has missed when it is back, also in another process: a file in the folder of the disk
    /// cache (`removals-…`) says which it has made. If the engine does not have all of them any more, or has lost its memory, or
    /// if there is no such file beside what is on disk, the machine removes everything.
    ///
    /// - Parameter cache: One that has this tier, and has not been used yet. It is not kept alive. It takes the place of another
    ///   that this tier follows.
    public func follow(_ cache: ImageCache) {
        let record = RemovalRecord(in: cache.diskFolder, prefix: secret.prefix)
        let tier = ObjectIdentifier(self)
        follow(since: record) { [weak self, weak cache] scope in
            // What is left on the disk is for the next process to remove.
            if await cache?.repeatRemoval(scope, heardBy: tier) != true { self?.removals.stopRecording() }
        }
    }
}
