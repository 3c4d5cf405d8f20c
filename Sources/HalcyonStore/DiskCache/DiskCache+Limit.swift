internal import FoundationEssentials
internal import HalcyonConcurrency

extension DiskCache {
    /// The bytes of bodies, metadata and keys that the cache may hold. A lower limit is enforced at once.
    ///
    /// - Throws: ``DiskCacheError`` if the cache cannot be opened, or cannot evict.
    public func setSizeLimit(_ bytes: Int) throws(DiskCacheError) {
        state.withLock { $0.sizeLimit = max(0, bytes) }
        try failing(.maintain) {
            let total = try withIndex { index in try index.read { try $0.totalBytes() } }
            if total > bytes { _ = try trim(to: max(0, bytes)) }
        }
    }

    /// The bytes of bodies, metadata and keys that the cache may hold.
    public var sizeLimit: Int {
        answering(.open, configuration.sizeLimit ?? 0) { try resolvedSizeLimit() }
    }

    /// Removes entries until at most `bytes` are left: those whose time is over, then the least recently used.
    ///
    /// - Returns: the number of entries removed.
    @discardableResult
    public func trim(to bytes: Int) throws(DiskCacheError) -> Int {
        try failing(.maintain) {
            try requireWritable(.maintain)
            try flush()
            var count = 0
            while true {
                let (removed, total) = try evict(downTo: max(0, bytes))
                count += removed
                if removed == 0 || total <= bytes { break }
            }
            try? withIndex { index in
                try index.withWriter { try $0.execute("PRAGMA incremental_vacuum(1000)") }
            }
            return count
        }
    }

    func resolvedSizeLimit() throws -> Int {
        if let limit = state.withLock({ $0.sizeLimit }) { return limit }
        try withIndex { _ in }
        return state.withLock { $0.sizeLimit ?? 0 }
    }

    /// Keeps the limit after a put: evicts until it holds, and from then on a batch with each put until the low-water
    /// mark is reached, so that no single put pays for all of it.
    func enforceLimit(total: Int) throws {
        let limit = try resolvedSizeLimit()
        var total = total
        let mark = min(max(configuration.lowWaterMark, 0), 1)
        let target = Int((Double(limit) * mark).rounded(.down))
        let isTrimming = state.withLock { state in
            state.isTrimming = total > limit || (state.isTrimming && total > target)
            return state.isTrimming
        }
        guard isTrimming else { return }
        // What was used since is not what goes.
        try flush()
        repeat {
            let (removed, left) = try evict(downTo: target)
            total = left
            if removed == 0 { break }
        } while total > limit
    }

    /// Removes one batch and returns their number and the bytes left.
    private func evict(downTo target: Int) throws -> (count: Int, bytesLeft: Int) {
        struct Eviction {
            var rows = RemovedRows()
            var reason = CacheRemoval<String>.Reason.expired
        }
        let listsKeys = !listeners.isEmpty
        let (removed, left) = try withIndex { index in
            try index.write { connection in
                let total = try connection.totalBytes()
                guard total > target else { return (Eviction(), total) }
                var eviction = Eviction()
                eviction.rows = try connection.removeExpired(at: now, count: Self.batchSize, listsKeys: listsKeys)
                if eviction.rows.count == 0 {
                    eviction.reason = .evicted
                    eviction.rows = try connection.removeLeastRecentlyUsed(
                        bytes: total - target,
                        count: Self.batchSize,
                        listsKeys: listsKeys
                    )
                }
                return (eviction, try connection.totalBytes())
            }
        }
        finish(removed.rows, removed.reason)
        return (removed.rows.count, left)
    }
}
