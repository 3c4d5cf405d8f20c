internal import HalcyonStore

extension ImageCacheGroup {
    /// Removes the original of a request and everything that was made of it from the caches of ``removing``. See
    /// ``ImageCache/remove(for:from:)``.
    ///
    /// - Parameters:
    ///   - request: The request of one of its images.
    ///   - tiers: The parts of the caches that it is removed from. Default: memory and disk.
    /// - Returns: The number of entries that were on disk.
    /// - Throws: ``ImageError`` of the stage ``ImageError/Stage/store``, once it is removed from the other caches;
    ///   `CancellationError` while a file is looked at.
    @discardableResult
    public func remove(for request: ImageRequest, from tiers: ImageCache.Tiers = .all) async throws -> Int {
        guard let key = try await highest.key(for: request) else { return 0 }
        return try await change(.name(key.originalDiskKey), from: tiers, removing) { cache in
            try await cache.remove(key, from: tiers)
        }
    }

    /// Removes from the caches of ``removing`` all originals whose cache key begins with `prefix`, with all that was
    /// made of them. See ``ImageCache/removeAll(originalsBeginningWith:)``.
    ///
    /// - Returns: The number of entries that were on disk.
    /// - Throws: ``ImageError`` of the stage ``ImageError/Stage/store``, once they are removed from the other caches.
    @discardableResult
    public func removeAll(originalsBeginningWith prefix: String) async throws -> Int {
        let scope = ContentOrder.Scope.names(beginningWith: ParsedDiskKey.escaped(prefix))
        return try await change(scope, from: .all, removing) { cache in
            try await cache.removeAll(originalsBeginningWith: prefix)
        }
    }

    /// Removes everything from memory and disk of the caches of ``clearing``. An image that is being loaded or stored is
    /// in none of them afterwards.
    ///
    /// - Throws: ``ImageError`` of the stage ``ImageError/Stage/store``, once the other caches are empty.
    public func removeAll() async throws {
        try await change(.everything, from: .all, clearing) { cache in
            try await cache.removeAll()
            return 0
        }
    }

    /// Removes everything from disk of the caches of ``clearing``. An image that is being loaded or stored is not there
    /// afterwards.
    ///
    /// - Throws: ``ImageError`` of the stage ``ImageError/Stage/store``, once the other disks are empty.
    public func removeAllFromDisk() async throws {
        try await change(.everything, from: .disk, clearing) { cache in
            try await cache.removeAllFromDisk()
            return 0
        }
    }

    /// Removes all images from memory of the caches of ``clearing``. An image that is being loaded is not stored there
    /// afterwards.
    public func removeAllFromMemory() {
        let caches = caches(clearing)
        let removals = ContentOrder.begin(.everything, from: .memory, in: caches)
        for cache in caches { cache.removeAllFromMemory() }
        ContentOrder.end(removals)
    }

    /// Waits until everything that was stored is on disk, in all caches.
    public func flush() async {
        for cache in caches { await cache.flush() }
    }

    /// Runs a removal in the caches of a policy, and returns the sum of its results. It is recorded in all of them before
    /// it is made in one, so that no look-up that finds something in a cache stores it in another afterwards.
    @discardableResult
    private func change(
        _ scope: ContentOrder.Scope,
        from tiers: ImageCache.Tiers,
        _ policy: Policy,
        _ remove: (ImageCache) async throws -> Int
    ) async throws -> Int {
        let caches = caches(policy)
        let removals = ContentOrder.begin(scope, from: tiers, in: caches)
        defer { ContentOrder.end(removals) }
        var count = 0
        var failure: (any Error)?
        for cache in caches {
            do { count += try await remove(cache) } catch { failure = failure ?? error }
        }
        if let failure { throw failure }
        return count
    }
}

extension ContentOrder {
    /// Records a removal in the order of each cache, as ``begin(_:from:)`` does.
    static func begin(_ scope: Scope, from tiers: Tiers, in caches: [ImageCache]) -> [(ContentOrder, Removal)] {
        caches.map { ($0.order, $0.order.begin(scope, from: tiers)) }
    }

    /// Records that a removal has been made in all caches.
    static func end(_ removals: [(ContentOrder, Removal)]) {
        for (order, removal) in removals { order.end(removal) }
    }
}
