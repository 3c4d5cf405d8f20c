internal import HalcyonConcurrency

extension DiskCache {
    /// Removes the entry of `key`. It is no error if there is none.
    ///
    /// - Returns: whether there was one.
    @discardableResult
    public func remove(_ key: String) throws(DiskCacheError) -> Bool {
        try failing(.remove) {
            try requireWritable(.remove)
            return try removeEntry(key)
        }
    }

    @discardableResult
    func removeEntry(_ key: String) throws -> Bool {
        let listsKeys = !listeners.isEmpty
        let removed = try withKey(key) { key in
            try withIndex { index in
                try index.write { connection in
                    let wasStaged = staging.withLock { $0.remove(key) }
                    var removed = try connection.removeRow(key, listsKeys: listsKeys)
                    if wasStaged, removed.count == 0 {
                        removed.count = 1
                        if listsKeys { removed.keys = [key.text] }
                    }
                    return removed
                }
            }
        }
        finish(removed, .removed)
        return removed.count > 0
    }

    /// Removes the entries whose keys begin with `prefix`, compared byte by byte.
    ///
    /// Complexity: O(n) in the number of all entries; if the prefix has a NUL, as those of a picture's variants have,
    /// O(m log n) in the number m of entries with the same bytes before the NUL. Other calls go on meanwhile.
    ///
    /// - Returns: the number of entries removed.
    @discardableResult
    public func removeEntries(prefix: String) throws(DiskCacheError) -> Int {
        try failing(.remove) {
            try requireWritable(.remove)
            try flush()
            let range = DiskKeyRange(prefix: prefix)
            guard range.family != nil else { return try removeListed(in: range) { _ in true } }
            return try removeBatches(.removed) {
                try $0.removeRows(inFamilyOf: range, count: Self.batchSize, listsKeys: $1)
            }
        }
    }

    /// Removes the entries that `isUnwanted` picks, expired ones included.
    ///
    /// Complexity: O(n) in the number of all entries. Other calls go on meanwhile; what is stored during the call may
    /// or may not be asked about, and what is replaced after it was asked about stays.
    ///
    /// - Parameter isUnwanted: called with no lock held.
    /// - Returns: the number of entries removed.
    @discardableResult
    public func removeEntries(where isUnwanted: (Listing) -> Bool) throws(DiskCacheError) -> Int {
        try failing(.remove) {
            try requireWritable(.remove)
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
            let listsKeys = !listeners.isEmpty
            let removed = try withIndex { index in
                try index.write { try $0.removeRows(unwanted, listsKeys: listsKeys) }
            }
            finish(removed, .removed)
            count += removed.count
        }
    }

    /// Removes every entry, and every file that no process is writing.
    public func removeAll() throws(DiskCacheError) {
        try failing(.remove) {
            try requireWritable(.remove)
            touches.withLock { _ = $0.take() }
            let listsKeys = !listeners.isEmpty
            let keys = try withIndex { index in
                let keys = try index.write { connection in
                    let staged = staging.withLock { $0.removeAll() }
                    return try connection.removeEverything(listsKeys: listsKeys) + (listsKeys ? staged : [])
                }
                try? index.withWriter { try $0.execute("PRAGMA incremental_vacuum") }
                return keys
            }
            listeners.tell(keys, .cleared)
            _ = try removeOrphans()
        }
    }

    /// Removes the entries whose time is over, and what dead processes left behind.
    ///
    /// - Returns: the number of entries removed.
    @discardableResult
    public func removeExpired() throws(DiskCacheError) -> Int {
        try failing(.remove) {
            try requireWritable(.remove)
            try flush()
            let now = now
            let count = try removeBatches(.expired) {
                try $0.removeExpired(at: now, count: Self.batchSize, listsKeys: $1)
            }
            _ = try removeOrphans()
            removeEarlierLayouts()
            return count
        }
    }

    /// Removes what earlier versions of the layout left beside this one, which nobody would ever look at again. What
    /// cannot be removed stays: it is only space.
    private func removeEarlierLayouts() {
        for version in 1..<DiskLayout.version {
            try? removeTree("\(folder)/v\(version)")
        }
    }

    /// Removes a folder with all it holds. Links in it are removed and not followed.
    private func removeTree(_ path: String) throws(FileSystemError) {
        guard try fileSystem.status(at: path).kind == .folder else { return try fileSystem.removeFile(path) }
        for name in try fileSystem.names(inFolder: path) { try removeTree("\(path)/\(name)") }
        try fileSystem.removeFolder(path)
    }

    /// Removes in transactions of at most ``batchSize`` entries until one finds fewer.
    private func removeBatches(
        _ reason: CacheRemoval<String>.Reason,
        _ removeBatch: (SQLiteConnection, _ listsKeys: Bool) throws -> RemovedRows
    ) throws -> Int {
        var count = 0
        while true {
            let listsKeys = !listeners.isEmpty
            let removed = try withIndex { index in
                try index.write { try removeBatch($0, listsKeys) }
            }
            finish(removed, reason)
            count += removed.count
            if removed.count + removed.correctedCount < Self.batchSize { return count }
        }
    }

    /// How many entries one transaction removes: enough that its own cost does not count, few enough that other
    /// writers do not wait for long.
    static var batchSize: Int { 128 }
}
