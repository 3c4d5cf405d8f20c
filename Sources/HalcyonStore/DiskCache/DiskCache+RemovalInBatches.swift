extension DiskCache {
    /// Removes the entries whose keys begin with `prefix`, compared byte by byte.
    ///
    /// No store under such a key that was in progress in this cache object when this was called leaves an entry.
    ///
    /// Complexity: O(n) in the number of all entries; if the prefix has a NUL, as those of an image's variants have,
    /// O(m log n) in the number m of entries with the same bytes before the NUL. Other calls go on meanwhile.
    ///
    /// - Returns: the number of entries removed.
    @discardableResult
    public func removeEntries(prefix: String) throws(DiskCacheError) -> Int {
        try removing {
            let range = DiskKeyRange(prefix: prefix)
            // While nothing is being committed, so that the walk below meets whatever was.
            try withIndex { index in
                try index.withWriter { _ in staging.withLock { $0.stores.revoke(in: range) } }
            }
            try flush()
            guard range.family != nil else { return try removeListed(in: range) { _ in true } }
            return try removeBatches(.removed) {
                try $0.removeRows(inFamilyOf: range, count: Self.batchSize, listsKeys: $1)
            }
        }
    }

    /// Removes the entries that satisfy a predicate, including expired ones.
    ///
    /// Complexity: O(n) in the number of all entries. Other calls go on meanwhile; the predicate may or may not be
    /// called for an entry that is stored during the call, and an entry that is replaced after the predicate was called
    /// stays.
    ///
    /// - Parameter isUnwanted: the predicate, called with no lock held.
    /// - Returns: the number of entries removed.
    @discardableResult
    public func removeEntries(where isUnwanted: (Listing) -> Bool) throws(DiskCacheError) -> Int {
        try removing {
            try flush()
            return try removeListed(in: DiskKeyRange(prefix: ""), where: isUnwanted)
        }
    }

    /// Walks over the entries of a range, and removes those that are unwanted.
    private func removeListed(in range: DiskKeyRange, where isUnwanted: (Listing) -> Bool) throws -> Int {
        var count = 0
        var last: Int64?
        while true {
            let rows = try listedRows(after: last, in: range, count: Self.batchSize)
            guard let end = rows.last else { return count }
            last = end.id
            let unwanted = rows.filter { isUnwanted($0.listing) }
            if unwanted.isEmpty { continue }
            keepSharedFiles()
            let listsKeys = !listeners.isEmpty
            let removed = try withIndex { index in
                try index.write { try $0.removeRows(unwanted, listsKeys: listsKeys) }
            }
            finish(removed, .removed)
            count += removed.count
        }
    }

    /// Removes in transactions of at most ``batchSize`` entries until one finds fewer.
    func removeBatches(
        _ reason: CacheRemoval<String>.Reason,
        _ removeBatch: (SQLiteConnection, _ listsKeys: Bool) throws -> RemovedRows
    ) throws -> Int {
        var count = 0
        while true {
            keepSharedFiles()
            let listsKeys = !listeners.isEmpty
            let removed = try withIndex { index in
                try index.write { try removeBatch($0, listsKeys) }
            }
            finish(removed, reason)
            count += removed.count
            if removed.count + removed.correctedCount < Self.batchSize { return count }
        }
    }

    /// The number of entries that one transaction removes: enough that its own cost does not count, few enough that
    /// other writers do not wait for long.
    static var batchSize: Int { 128 }
}
