internal import FoundationEssentials
internal import HalcyonSystem

extension DiskCache {
    /// The bytes of bodies, metadata and keys that the cache may hold. A lower limit is enforced at once.
    ///
    /// - Throws: ``DiskCacheError`` if the cache cannot be opened, or cannot evict.
    public func setSizeLimit(_ bytes: Int) throws(DiskCacheError) {
        state.withLock { $0.settings.sizeLimit = max(0, bytes) }
        try failing(.maintain) {
            let limit = try resolvedSizeLimit()
            let totals = try withIndex { index in try index.read { try $0.totals() } }
            if totals.bytes > limit { _ = try trim(to: limit) }
        }
    }

    /// The bytes of bodies, metadata and keys that the cache may hold.
    public var sizeLimit: Int {
        answering(.open, configuration.sizeLimit ?? 0) { try resolvedSizeLimit() }
    }

    /// The lifetime of an entry stored without its own. A new one changes nothing for the entries that are there.
    public var expiration: Expiration {
        get { state.withLock { $0.settings.expiration } }
        set { state.withLock { $0.settings.expiration = newValue } }
    }

    /// Removes entries until at most `bytes` are left: those whose time is over, then the least recently used.
    ///
    /// - Returns: the number of entries removed.
    @discardableResult
    public func trim(to bytes: Int) throws(DiskCacheError) -> Int {
        try failing(.maintain) {
            try requireWritable(.maintain)
            try flush()
            let target = max(0, bytes)
            var count = 0
            while true {
                let eviction = try evict(downTo: target)
                count += eviction.rows.count
                if eviction.isIdle || eviction.totals.bytes <= target { break }
            }
            try? withIndex { index in
                try index.withWriter { try $0.execute("PRAGMA incremental_vacuum(1000)") }
            }
            return count
        }
    }

    /// The limit that holds now, in bytes. One that follows the space on the device is worked out anew each minute.
    func resolvedSizeLimit() throws -> Int {
        let time = configuration.clock.monotonic()
        if let known = state.withLock({ $0.settings.sizeLimit(at: time) }) { return known }
        let used = try withIndex { index in try index.read { try $0.totals() } }.bytes
        let free = (try? fileSystem.freeBytes(at: folder)) ?? .max
        return state.withLock { state in
            state.settings.sizeLimit ?? state.settings.resolveSizeLimit(free: free, used: used, at: time)
        }
    }

    /// Keeps the limit after a store: evicts until it holds, and from then on a batch with each store until the
    /// low-water mark is reached, so that no single store pays for all of it. An error is reported: the next store tries
    /// again.
    ///
    /// One thread evicts at a time; it sees to what others store meanwhile.
    ///
    /// - Parameter totals: Those after the store; `nil` if nothing was stored.
    func keepLimit(_ totals: DiskTotals?) {
        guard var totals else { return }
        answering(.maintain, ()) {
            while true {
                let limit = try resolvedSizeLimit()
                guard let target = state.withLock({ $0.beginEviction(totals, limit) }) else { return }
                let later = try evict(until: limit, downTo: target)
                guard let later, later.bytes > limit else { return }
                totals = later
            }
        }
    }

    /// Evicts batches down to a target until the limit holds.
    ///
    /// - Returns: The totals, if others have stored meanwhile.
    private func evict(until limit: Int, downTo target: Int) throws -> DiskTotals? {
        do {
            // Entries that were used since are not the ones to remove.
            _ = try writeBuffers()
            while true {
                let eviction = try evict(downTo: target)
                if eviction.isIdle || eviction.totals.bytes <= limit { break }
            }
        } catch {
            state.withLock { _ = $0.endEviction() }
            throw error
        }
        guard state.withLock({ $0.endEviction() }) else { return nil }
        return try withIndex { index in try index.read { try $0.totals() } }
    }

    private struct Eviction {
        var rows = RemovedRows()
        var reason = CacheRemoval<String>.Reason.expired
        var totals = DiskTotals()

        /// A Boolean value that indicates whether there was nothing to remove.
        var isIdle: Bool { rows.count + rows.correctedCount == 0 }
    }

    /// Removes one batch.
    private func evict(downTo target: Int) throws -> Eviction {
        keepSharedFiles()
        let listsKeys = !listeners.isEmpty
        let now = now
        let eviction = try withIndex { index in
            try index.write { connection in
                var eviction = Eviction()
                eviction.totals = try connection.totals()
                if eviction.totals.bytes <= target { return eviction }
                eviction.rows = try connection.removeExpired(at: now, count: Self.batchSize, listsKeys: listsKeys)
                if eviction.isIdle {
                    eviction.reason = .evicted
                    eviction.rows = try connection.removeLeastRecentlyUsed(
                        bytes: eviction.totals.bytes - target,
                        count: Self.batchSize,
                        at: now,
                        listsKeys: listsKeys
                    )
                }
                eviction.totals = try connection.totals()
                return eviction
            }
        }
        finish(eviction.rows, eviction.reason)
        return eviction
    }
}

/// The settings of a cache that may change while it runs.
struct DiskSettings {
    /// Nil if it follows the space on the device.
    var sizeLimit: Int?
    /// The limit that was derived from the space, and the time of that on the monotonic clock.
    private var resolved: (sizeLimit: Int, time: Int64)?
    /// 0…1.
    private let lowWaterMark: Double
    var expiration: Expiration

    init(_ configuration: DiskCache.Configuration) {
        sizeLimit = configuration.sizeLimit.map { max(0, $0) }
        let mark = configuration.lowWaterMark
        lowWaterMark = mark.isNaN ? 1 : min(max(mark, 0), 1)
        expiration = configuration.expiration
    }

    /// Returns the size limit, if it is given or was derived less than a minute ago.
    func sizeLimit(at time: Int64) -> Int? {
        if let sizeLimit { return sizeLimit }
        guard let resolved, time >= resolved.time, time - resolved.time < 60_000_000_000 else { return nil }
        return resolved.sizeLimit
    }

    /// Derives the size limit from the space.
    ///
    /// - Parameters:
    ///   - free: The bytes that may still be stored on the device.
    ///   - used: The bytes of all entries: the cache counts its own space as free.
    mutating func resolveSizeLimit(free: Int, used: Int, at time: Int64) -> Int {
        let (space, overflows) = free.addingReportingOverflow(used)
        let limit = min(Self.largestDefault, max(Self.smallestDefault, (overflows ? .max : space) / 10))
        resolved = (limit, time)
        return limit
    }

    private static let largestDefault = 1 << 30
    /// Less would hold a few images. If there is no room for these either, storing fails until there is.
    private static let smallestDefault = 16 << 20

    /// Returns the bytes down to which entries are evicted, once the limit was reached.
    func target(below limit: Int) -> Int {
        // A number that a Double cannot hold exactly is no limit in practice.
        Int(exactly: (Double(limit) * lowWaterMark).rounded(.down)) ?? limit
    }
}
